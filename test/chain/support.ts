import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import {
  createTestClient,
  defineChain,
  http,
  parseAbi,
  publicActions,
  walletActions,
  type Abi,
  type Address,
  type Hex,
} from 'viem'
import type { HDAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { ledger, relayer } from '../../src/calls/objects.ts'
import { vaultAbi } from '../../src/chain/abi.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { vaultBalances, withdrawalHash } from '../../src/chain/vault.ts'
import { loadConfig } from '../../src/config/load.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { perToken, TOKENS, type Token } from '../../src/money/token.ts'
import { sweep } from '../../src/sweep.ts'
import { tokenAddresses } from '../../src/vault/typed-data.ts'
import { usedLedgers } from '../workers/journals.ts'
import { get, now, pass, Player, rowsOf, useStories, type Answer } from '../workers/support.ts'
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

/** Changes the node's answers to a method outside batches from now on, computed from the real results. */
function replaceAnswers(method: string, answerTo: (result: unknown) => object): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await real(input, init)
    if (typeof init?.body !== 'string' || !init.body.includes(`"${method}"`)) return answer
    if (Array.isArray(JSON.parse(init.body))) return answer
    const { id, result } = await answer.json<{ id: number; result: unknown }>()
    return Response.json({ jsonrpc: '2.0', id, ...answerTo(result) })
  })
}

/** Changes the node's results of a method outside batches from now on, computed from the real ones. */
export function nodeAnswers(method: string, resultFor: (result: unknown) => unknown): void {
  replaceAnswers(method, (result) => ({ result: resultFor(result) }))
}

/** Makes the node refuse calls from now on, like a node that limits its answers. */
export function nodeRefuses(method: string, isRefused: (result: unknown) => boolean): void {
  const error = { code: -32005, message: 'query returned too many results' }
  replaceAnswers(method, (result) => (isRefused(result) ? { error } : { result }))
}

/** Makes the node's estimates fail from now on, as if the calls did. */
export function nodeEstimatesNothing(): void {
  replaceAnswers('eth_estimateGas', () => ({ error: { code: 3, message: 'execution reverted' } }))
}

/** Makes calls to the node fail from now on: those whose body matches, before or after it received them. */
export function nodeFails(matches: (body: string) => boolean, when: 'before' | 'after'): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const isFailing = typeof init?.body === 'string' && matches(init.body)
    if (isFailing && when === 'before') throw new Error('down')
    const answer = await real(input, init)
    if (isFailing) throw new Error('connection lost')
    return answer
  })
}

/** Makes a node that lacks the newest blocks estimate the next call, which fails in its view of the chain. */
export function nodeIsBehind(): void {
  beforeNext('"eth_estimateGas"', () => ({ code: 3, message: 'execution reverted' }))
}

/**
 * Does something before the node gets the next call with a text in its body.
 * @param act may return the error to answer with, so that the node does not get the call
 */
export function beforeNext(text: string, act: () => object | Promise<void>): void {
  let isNext = true
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : '{}'
    if (!isNext || !body.includes(text)) return real(input, init)
    isNext = false
    const error = await act()
    const { id } = JSON.parse(body) as { id: number }
    return error ? Response.json({ jsonrpc: '2.0', id, error }) : real(input, init)
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

/** Sets how long reads wait for a slow node, in milliseconds of real time. */
export async function waitForNode(patienceMs: number): Promise<void> {
  const client = await import('../../src/chain/client.ts')
  expect(client).toHaveProperty('NODE_WAIT_MS')
  const isSet = Reflect.defineProperty(client, 'NODE_WAIT_MS', {
    configurable: true,
    get: () => patienceMs,
  })
  expect(isSet).toBe(true)
}

/** Starts each story on a fresh chain with the vault on it. */
export function useChain(): void {
  useStories()
  beforeEach(async () => {
    // The service's own limit is too short for a busy machine.
    await waitForNode(60_000)
    difference = perToken(() => 0n)
    await ask('anvil_reset')
    await chain.setAutomine(true)
    await deploy('TestUSDG', [OWNER.address])
    await deploy('Vault', [OWNER.address, RELAYER.address, USDG_ADDRESS])
    expect(await chain.getCode({ address: VAULT_ADDRESS })).toBeDefined()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await expectVaultHolds()
  })
  // Only the storage of objects that are awake is emptied; a story may leave this one aborted.
  afterEach(() => runInDurableObject(theRelayer(), () => {}))
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
    const receipt = (await ask('eth_getTransactionReceipt', hash)) as { status: Hex } | null
    if (receipt?.status === '0x0') throw new Error(`${hash} failed`)
    if (receipt) return hash
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${hash} was not mined`)
}

/** Deploys one of this project's contracts and waits until it is mined. */
export async function deploy(name: string, args: unknown[], value = 0n): Promise<Hex> {
  const response = await fetch(`http://contracts.test/${name}.sol/${name}.json`)
  const artifact = await response.json<{ abi: Abi; bytecode: { object: Hex } }>()
  const { abi, bytecode } = artifact
  return mined(
    chain.deployContract({ abi, bytecode: bytecode.object, args, account: OWNER, value }),
  )
}

export const vault = { address: VAULT_ADDRESS, abi: vaultAbi } as const
/** USDG, with what its owner alone calls. */
const usdgAbi = [
  ...tokenAbi,
  ...parseAbi(['function pause()', 'function setFrozen(address account, bool frozen)']),
] as const
const usdg = { address: USDG_ADDRESS, abi: usdgAbi } as const

/** Calls a contract, as the owner unless another account is named, and waits until it is mined. */
export function write(
  contract: { address: Address; abi: Abi },
  functionName: string,
  args: readonly unknown[] = [],
  account: HDAccount | Address = OWNER,
  value = 0n,
): Promise<Hex> {
  return mined(chain.writeContract({ ...contract, functionName, args, account, value }))
}

/** Returns a holder's balance of an ERC-20 token. */
export function balanceOf(token: Address, holder: Address): Promise<bigint> {
  const call = { address: token, abi: tokenAbi, functionName: 'balanceOf' } as const
  return chain.readContract({ ...call, args: [holder] })
}

/** A fee high enough to come first in a block. */
export const FIRST = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 400_000_000_000n }

/** The owner pauses the vault, ahead of every waiting transaction. */
export function asOwner(functionName: 'pause' | 'unpause'): Promise<Hex> {
  return chain.writeContract({ ...vault, account: OWNER, functionName, ...FIRST })
}

/** Freezes the dollars of one account or of all; `first` puts it ahead of waiting transactions. */
export async function freeze(address: Address | null, when?: 'first'): Promise<void> {
  const call = { ...usdg, account: OWNER, ...FIRST } as const
  const sent =
    address === null
      ? chain.writeContract({ ...call, functionName: 'pause' })
      : chain.writeContract({ ...call, functionName: 'setFrozen', args: [address, true] })
  await (when === 'first' ? sent : mined(sent))
}

/** Lets an account move its dollars again. */
export async function unfreeze(address: Address): Promise<void> {
  await write(usdg, 'setFrozen', [address, false])
}

/** Moves money into the vault, from an account that gets the tokens for it first. */
async function moveIn(
  functionName: 'fund' | 'deposit',
  account: HDAccount,
  token: Token,
  amountWei: bigint,
): Promise<Hex> {
  if (token !== 'ETH') {
    await write(usdg, 'mint', [account.address, amountWei])
    await write(usdg, 'approve', [VAULT_ADDRESS, amountWei], account)
  }
  const args = [tokenAddresses(vaultConfig())[token], amountWei]
  return write(vault, functionName, args, account, token === 'ETH' ? amountWei : 0n)
}

/** The owner deposits money for the house. */
export async function fundHouse(token: Token, amountWei: bigint): Promise<void> {
  await moveIn('fund', OWNER, token, amountWei)
}

/** The owner takes out some of the house's funds. */
export async function takeHouseShare(token: Token, amountWei: bigint): Promise<void> {
  const args = [tokenAddresses(vaultConfig())[token], amountWei, OWNER.address]
  await write(vault, 'withdrawHouse', args)
}

/** Returns the amount that the vault lets its owner take. */
export function houseFunds(token: Token): Promise<bigint> {
  const args = [tokenAddresses(vaultConfig())[token]] as const
  return chain.readContract({ ...vault, functionName: 'houseFunds', args })
}

/** Deposits into the vault, from a player with sufficient funds. */
export function deposit(player: Player, token: Token, amountWei: bigint): Promise<Hex> {
  return moveIn('deposit', player.account, token, amountWei)
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
  config = vaultConfig(),
) {
  const hash = withdrawalHash(config, { player: player.account.address, ...order })
  return player.account.sign({ hash })
}

export async function withdraw(player: Player, fields: Withdraw = {}): Promise<Answer> {
  const { token = 'USDG', amountWei = 100_000_000n, nonce = 0 } = fields
  const signature = fields.signature ?? (await signWithdrawal(player, { token, amountWei, nonce }))
  return player.act('withdraw', { token, amountWei: amountWei.toString(), nonce, signature })
}

/** Returns the status of a withdrawal. */
export async function statusOf(player: Player, fields: Withdraw = {}): Promise<string | undefined> {
  return (await withdraw(player, fields)).body.withdrawal?.status
}

/** Works until a withdrawal has ended, and returns how. */
export async function workToEnd(player: Player, fields: Withdraw = {}): Promise<string> {
  for (let round = 0; round < 10; round++) {
    await work(player, 1)
    const status = await statusOf(player, fields)
    if (status === 'confirmed' || status === 'failed') return status
  }
  throw new Error('the withdrawal did not come to an end')
}

/** Passes a waiting withdrawal on and has the relayer look at the chain a number of times. */
export async function work(player: Player, looks = 2): Promise<void> {
  await runDurableObjectAlarm(ledger(env, player.wallet))
  for (let looked = 0; looked < looks; looked++) {
    await look()
    pass(2_000)
  }
}

export const theRelayer = () => relayer(env, vaultConfig().chainId)

/** Has the relayer look at the chain once. */
export async function look(): Promise<void> {
  await runDurableObjectAlarm(theRelayer())
}

/** Has the relayer record a result of the house. */
export const record = (resultWei: string) =>
  theRelayer().record({
    kind: 'result',
    vaultId: vaultConfig().id,
    token: 'USDG',
    resultWei,
    at: now(),
  })

/** Returns the house's result that the vault last received. */
export async function recordedResult(): Promise<bigint> {
  const books = await chain.readContract({ ...vault, functionName: 'books', args: [USDG_ADDRESS] })
  return books[4]
}

/** Returns how many of a player's nonces the vault has used. */
export const noncesUsed = ({ account: { address } }: Player) =>
  chain.readContract({ ...vault, functionName: 'nonces', args: [address] })

export type Attempted = { hash: string; max_fee: string }

/** Returns what the relayer has signed, oldest first. */
export function attempts(): Promise<Attempted[]> {
  return rowsOf<Attempted>(theRelayer(), 'SELECT hash, max_fee FROM attempts ORDER BY rowid')
}

/** Returns how many of the relayer's transactions are in a block. */
export const sentByRelayer = () => chain.getTransactionCount({ address: RELAYER.address })

/** Gives an object other variables, like a deployment. */
export function setVars<T extends Rpc.DurableObjectBranded>(
  stub: DurableObjectStub<T>,
  vars: Record<string, unknown>,
): Promise<void> {
  return runInDurableObject(stub, (object) => {
    Object.assign(object, { env: { ...env, ...vars } })
  })
}

export function tokenBalance(address: Address, token: Token): Promise<bigint> {
  return token === 'ETH' ? chain.getBalance({ address }) : balanceOf(USDG_ADDRESS, address)
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
  const audits = await Promise.all((await usedLedgers()).map((each) => each.verify()))
  const held = await vaultBalances(vaultConfig())
  for (const token of TOKENS) {
    const sum = audits.reduce((total, audit) => {
      expect(audit).toMatchObject({ ok: true })
      return audit.ok ? total - BigInt(audit.balances[token]['vault'] ?? '0') : total
    }, 0n)
    expect([token, held[token] - difference[token]]).toEqual([token, sum])
  }
}

/** Returns the bankroll as players see it, in smallest units of USDG. */
export async function bankroll(): Promise<string> {
  pass(15_000)
  return (await get('/api/entropy')).body.bankroll.amounts.USDG
}

/** Runs the cron handler, minute by minute. */
export async function sweepMinutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    pass(MINUTE_MS)
    await sweep(env)
  }
}
