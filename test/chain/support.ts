import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import {
  createTestClient,
  defineChain,
  http,
  publicActions,
  walletActions,
  type Abi,
  type Address,
  type Hex,
  parseAbi,
} from 'viem'
import type { HDAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { vaultAbi } from '../../src/chain/abi.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { ownerActTypedData } from '../../src/chain/owner-act.ts'
import { vaultBalances, withdrawalHash } from '../../src/chain/vault.ts'
import { loadConfig } from '../../src/config/load.ts'
import { perToken, TOKENS, type Token } from '../../src/money/token.ts'
import { ledger, relayer } from '../../src/objects.ts'
import type { Act } from '../../src/operator/act.ts'
import { tokenAddresses } from '../../src/vault/typed-data.ts'
import { get, now, pass, Player, type Answer } from '../workers/support.ts'
import { OWNER, RELAYER, USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'

/** The chain under test. `viem/chains` includes it, but would load every chain it knows. */
export const anvil = defineChain({
  id: 31_337,
  name: 'Anvil',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://chain.test'] } },
})

export const chain = createTestClient({
  chain: anvil,
  mode: 'anvil',
  // A busy machine needs longer than viem's ten seconds to mine thousands of blocks.
  transport: http('http://chain.test', { retryCount: 0, timeout: 60_000 }),
  pollingInterval: 20,
})
  .extend(publicActions)
  .extend(walletActions)

/** Calls a method of the node that viem has no types for. */
export function ask(method: string, ...params: unknown[]): Promise<unknown> {
  return chain.request({ method, params } as never)
}

/** Changes the node's answers to a method from now on, computed from the real ones. */
export function nodeAnswers(method: string, answerTo: (result: unknown) => unknown): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await real(input, init)
    if (typeof init?.body !== 'string' || !init.body.includes(`"${method}"`)) return answer
    const { id, result } = await answer.json<{ id: number; result: unknown }>()
    return Response.json({ jsonrpc: '2.0', id, result: answerTo(result) })
  })
}

/** Makes the node refuse calls from now on, like a node that limits its answers. */
export function nodeRefuses(method: string, isRefused: (result: unknown) => boolean): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await real(input, init)
    if (typeof init?.body !== 'string' || !init.body.includes(`"${method}"`)) return answer
    const { id, result } = await answer.json<{ id: number; result: unknown }>()
    const error = { code: -32005, message: 'query returned too many results' }
    return Response.json({ jsonrpc: '2.0', id, ...(isRefused(result) ? { error } : { result }) })
  })
}

/** Counts the service's calls to the node from now on. */
export function countCalls(): () => number {
  const real = globalThis.fetch
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => real(input, init))
  return () =>
    spy.mock.calls.filter(([input, init]) =>
      new Request(input, init).url.startsWith('http://chain.test'),
    ).length
}

/** The vault of the service's configuration. */
export function vaultConfig() {
  const { vault } = loadConfig(env)
  if (!vault) throw new Error('the chain stories have a vault')
  return vault
}

/** Starts each story on a fresh chain with the vault on it. */
export function useChain(): void {
  beforeEach(async () => {
    difference = perToken(() => 0n)
    await ask('anvil_reset')
    await chain.setAutomine(true)
    await mined(deploy('TestUSDG', [OWNER.address]))
    await mined(deploy('Vault', [OWNER.address, RELAYER.address, USDG_ADDRESS]))
    expect(await chain.getCode({ address: VAULT_ADDRESS })).toBeDefined()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await expectVaultHolds()
  })
  // Only the storage of objects that are awake is emptied; a story may leave this one aborted.
  afterEach(() => runInDurableObject(relayer(env, vaultConfig().chainId), () => {}))
}

/** How often a receipt is requested before its transaction counts as lost. */
const RECEIPT_TRIES = 1_500

/**
 * Waits until a transaction is in a block. viem's own wait caches the block number by the driven clock,
 * so it never finds a receipt that it has missed once.
 */
export async function mined(sent: Promise<Hex>): Promise<Hex> {
  const hash = await sent
  for (let tries = 0; tries < RECEIPT_TRIES; tries++) {
    if ((await ask('eth_getTransactionReceipt', hash)) !== null) return hash
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${hash} was not mined`)
}

export async function deploy(name: string, args: unknown[], value = 0n): Promise<Hex> {
  const response = await fetch(`http://contracts.test/${name}.sol/${name}.json`)
  const artifact = await response.json<{ abi: Abi; bytecode: { object: Hex } }>()
  const { abi, bytecode } = artifact
  return chain.deployContract({ abi, bytecode: bytecode.object, args, account: OWNER, value })
}

/** A fee high enough to come first in a block. */
export const FIRST = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 400_000_000_000n }

/** The owner pauses the vault, ahead of every waiting transaction. */
export function asOwner(functionName: 'pause' | 'unpause'): Promise<Hex> {
  const call = { address: VAULT_ADDRESS, abi: vaultAbi, account: OWNER } as const
  return chain.writeContract({ ...call, functionName, ...FIRST })
}

/** Freezes the dollars of one account or of all; `first` puts it ahead of waiting transactions. */
export async function freeze(address: Address | null, when?: 'first'): Promise<void> {
  const abi = parseAbi(['function pause()', 'function setFrozen(address account, bool frozen)'])
  const call = { address: USDG_ADDRESS, abi, account: OWNER, ...FIRST } as const
  const sent =
    address === null
      ? chain.writeContract({ ...call, functionName: 'pause' })
      : chain.writeContract({ ...call, functionName: 'setFrozen', args: [address, true] })
  await (when === 'first' ? sent : mined(sent))
}

/** The owner deposits money for the house. */
export async function fundHouse(token: Token, amountWei: bigint): Promise<void> {
  await provide(OWNER.address, token, amountWei)
  await approve(OWNER, token, amountWei)
  await mined(
    chain.writeContract({
      address: VAULT_ADDRESS,
      abi: vaultAbi,
      functionName: 'fund',
      args: [tokenAddresses(vaultConfig())[token], amountWei],
      value: token === 'ETH' ? amountWei : 0n,
      account: OWNER,
    }),
  )
}

/** The owner takes out some of the house's funds. */
export async function takeHouseShare(token: Token, amountWei: bigint): Promise<void> {
  const args = [tokenAddresses(vaultConfig())[token], amountWei, OWNER.address] as const
  const call = { address: VAULT_ADDRESS, abi: vaultAbi, account: OWNER } as const
  await mined(chain.writeContract({ ...call, functionName: 'withdrawHouse', args }))
}

/** Returns the amount that the vault lets its owner take. */
export function houseFunds(token: Token): Promise<bigint> {
  const args = [tokenAddresses(vaultConfig())[token]] as const
  const call = { address: VAULT_ADDRESS, abi: vaultAbi } as const
  return chain.readContract({ ...call, functionName: 'houseFunds', args })
}

async function provide(to: Address, token: Token, amountWei: bigint): Promise<void> {
  if (token === 'ETH') return
  await mined(
    chain.writeContract({
      address: USDG_ADDRESS,
      abi: tokenAbi,
      functionName: 'mint',
      args: [to, amountWei],
      account: OWNER,
    }),
  )
}

async function approve(account: HDAccount, token: Token, amountWei: bigint): Promise<void> {
  if (token === 'ETH') return
  await mined(
    chain.writeContract({
      address: USDG_ADDRESS,
      abi: tokenAbi,
      functionName: 'approve',
      args: [VAULT_ADDRESS, amountWei],
      account,
    }),
  )
}

/** Deposits into the vault, from a player with sufficient funds. */
export async function deposit(player: Player, token: Token, amountWei: bigint): Promise<Hex> {
  await provide(player.account.address, token, amountWei)
  await approve(player.account, token, amountWei)
  return mined(
    chain.writeContract({
      address: VAULT_ADDRESS,
      abi: vaultAbi,
      functionName: 'deposit',
      args: [tokenAddresses(vaultConfig())[token], amountWei],
      value: token === 'ETH' ? amountWei : 0n,
      account: player.account,
    }),
  )
}

/** Returns a player whose deposit has become chips. */
export async function depositor(
  index: number,
  token: Token = 'USDG',
  amountWei = 1_000_000_000n,
): Promise<Player> {
  const player = new Player(index)
  await deposit(player, token, amountWei)
  expect(await chipsOf(player, token)).toBe(amountWei)
  return player
}

/** Returns the chips that the first state read two seconds later shows. */
export async function chipsOf(player: Player, token: Token = 'USDG'): Promise<bigint> {
  pass(2_000)
  return BigInt(await player.chips(token))
}

interface Withdraw {
  token?: Token
  amountWei?: bigint
  nonce?: number
  signature?: Hex
}

/** What a player signs to withdraw. */
export function signWithdrawal(
  player: Player,
  order: Required<Omit<Withdraw, 'signature'>>,
  vault = vaultConfig(),
) {
  const hash = withdrawalHash(vault, { player: player.account.address, ...order })
  return player.account.sign({ hash })
}

export async function withdraw(player: Player, fields: Withdraw = {}): Promise<Answer> {
  const { token = 'USDG', amountWei = 100_000_000n, nonce = 0 } = fields
  const signature = fields.signature ?? (await signWithdrawal(player, { token, amountWei, nonce }))
  return player.act('withdraw', { token, amountWei: amountWei.toString(), nonce, signature })
}

/** Returns an act of the vault owner as its signer sends it. */
export async function signAct(fields: Partial<Act>, signer: HDAccount = OWNER) {
  const { body } = await get('/api/operate')
  const act: Act = {
    act: 'unfreeze',
    target: new Player(0).wallet,
    reason: 'The deposit will not be mined again.',
    nonce: body.nonce,
    expiresAt: Math.floor(now() / 1_000) + 600,
    ...fields,
  }
  const signature = await signer.signTypedData(ownerActTypedData(vaultConfig(), act))
  return { ...act, signature }
}

/** Passes a waiting withdrawal on and has the relayer look at the chain a number of times. */
export async function work(player: Player, looks = 2): Promise<void> {
  await runDurableObjectAlarm(ledger(env, player.wallet))
  for (let looked = 0; looked < looks; looked++) {
    await look()
    pass(2_000)
  }
}

/** Has the relayer look at the chain once. */
export async function look(): Promise<void> {
  await runDurableObjectAlarm(relayer(env, vaultConfig().chainId))
}

export function tokenBalance(address: Address, token: Token): Promise<bigint> {
  if (token === 'ETH') return chain.getBalance({ address })
  return chain.readContract({
    address: USDG_ADDRESS,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address],
  })
}

/** How much more the vault holds at a story's end than the ledgers say; negative if it holds less. */
let difference = perToken(() => 0n)

/** Notes that a story leaves a deposit unread, or ends with one that a reorg has removed. */
export function leavesDifference(token: Token, amountWei: bigint): void {
  difference[token] += amountWei
}

/**
 * Checks that the vault holds the sum of all ledgers' deposits less their payouts. Because the journals
 * are verified, this also verifies the sum of all their other accounts.
 */
async function expectVaultHolds(): Promise<void> {
  const audits = await Promise.all(
    (await listDurableObjectIds(env.LEDGER)).map((id) => env.LEDGER.get(id).verify()),
  )
  const held = await vaultBalances(vaultConfig())
  for (const token of TOKENS) {
    const sum = audits.reduce((total, audit) => {
      expect(audit).toMatchObject({ ok: true })
      return audit.ok ? total - BigInt(audit.balances[token]['vault'] ?? '0') : total
    }, 0n)
    expect([token, held[token] - difference[token]]).toEqual([token, sum])
  }
}
