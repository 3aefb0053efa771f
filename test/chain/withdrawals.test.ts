import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { parseSignature, serializeSignature, toHex, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import type { Relayer } from '../../durable-objects/relayer.ts'
import { vaultAbi } from '../../src/chain/abi.ts'
import { withdrawalHash } from '../../src/chain/vault.ts'
import { LEDGER_LIMIT_BYTES } from '../../src/ledger/capacity.ts'
import type { Token } from '../../src/money/token.ts'
import { relayer } from '../../src/objects.ts'
import { Platform } from '../workers/partner.ts'
import { pass, Player, reportSize, restart, useStories, type Answer } from '../workers/support.ts'
import { RELAYER, USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  ask,
  asOwner,
  chain,
  chipsOf,
  depositor,
  freeze,
  fundHouse,
  look,
  signWithdrawal,
  tokenBalance,
  useChain,
  vaultConfig,
  withdraw,
  work,
} from './support.ts'

useStories()
useChain()

const AMOUNT = 100_000_000n

const statusOf = async (player: Player, fields: object = {}) =>
  (await withdraw(player, fields)).body.withdrawal?.status
const codeOf = ({ body }: Answer) => body.error?.code

/** How long the relayer waits before it looks at the chain again. */
function nextLookInMs(): Promise<number> {
  return runInDurableObject(relayer(env, vaultConfig().chainId), async (_, { storage }) => {
    return (await storage.getAlarm())! - Date.now()
  })
}

/** Works until a withdrawal of the player has ended. */
async function workToEnd(player: Player, fields: object = {}): Promise<string> {
  for (let round = 0; round < 10; round++) {
    await work(player, 1)
    const status = await statusOf(player, fields)
    if (status === 'confirmed' || status === 'failed') return status
  }
  throw new Error('the withdrawal did not come to an end')
}

it('a wallet whose journal is full can still deposit and withdraw', async () => {
  await reportSize(LEDGER_LIMIT_BYTES)
  const alice = await depositor(0, 'USDG', 2n * AMOUNT)
  expect(await chipsOf(alice)).toBe(2n * AMOUNT)
  expect((await withdraw(alice)).status).toBe(200)
  expect(await workToEnd(alice)).toBe('confirmed')
  expect(codeOf(await new Platform().transact(alice, '-1'))).toBe('ledger_full')
})

describe('a withdrawal', () => {
  it.each<[Token, bigint]>([
    ['ETH', 10n ** 18n],
    ['USDG', 100_000_000n],
  ])('of %s takes the chips at once and arrives on chain', async (token, amountWei) => {
    const alice = await depositor(0, token, 3n * amountWei)
    const before = await tokenBalance(alice.account.address, token)
    const { status, body } = await withdraw(alice, { token, amountWei })
    expect(status).toBe(200)
    expect(body).toEqual({
      ok: true,
      withdrawal: {
        nonce: 0,
        token,
        amountWei: amountWei.toString(),
        status: 'pending',
        txHash: null,
      },
      me: expect.objectContaining({ nonce: 1 }),
    })
    expect(body.me.chips[token]).toBe((2n * amountWei).toString())
    expect(await workToEnd(alice, { token, amountWei })).toBe('confirmed')
    expect((await tokenBalance(alice.account.address, token)) - before).toBe(amountWei)
    const { withdrawal } = (await withdraw(alice, { token, amountWei })).body
    const receipt = await chain.getTransactionReceipt({ hash: withdrawal.txHash })
    expect(receipt.status).toBe('success')
  })

  it.each<[Token, bigint]>([
    ['ETH', 10n ** 16n],
    ['USDG', 1_000_000n],
  ])('of all %s chips after a play leaves the rest in the vault', async (token, stake) => {
    await fundHouse(token, 1_000_000n * stake)
    expect((await new Player(8).act('house-topup')).status).toBe(200)
    const alice = await depositor(0, token, 10n * stake)
    const { body } = await alice.play({ nonce: 0, token, amountWei: stake.toString() })
    const amountWei = BigInt(body.me.chips[token])
    expect(amountWei).toBe(9n * stake + BigInt(body.payout))
    expect((await withdraw(alice, { token, amountWei })).status).toBe(200)
    expect(await workToEnd(alice, { token, amountWei })).toBe('confirmed')
    expect(await chipsOf(alice, token)).toBe(0n)
  })

  it('returns its status and moves nothing when repeated', async () => {
    const alice = await depositor(0)
    const answers = await Promise.all(Array.from({ length: 5 }, () => withdraw(alice)))
    for (const { body } of answers) expect(body.withdrawal.status).toBe('pending')
    await workToEnd(alice)
    expect(await chipsOf(alice)).toBe(900_000_000n)
    expect(codeOf(await withdraw(alice, { amountWei: AMOUNT + 1n }))).toBe('nonce_mismatch')
    expect((await withdraw(alice, { nonce: 2 })).body.error.details).toEqual({ expected: 1 })
  })

  it('waits for the previous one', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    expect(codeOf(await withdraw(alice, { nonce: 1 }))).toBe('withdrawal_pending')
    await workToEnd(alice)
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    expect(await workToEnd(alice, { nonce: 1 })).toBe('confirmed')
  })

  it('gets its own nonce when several players withdraw at the same time', async () => {
    const players = [await depositor(0), await depositor(1), await depositor(2)]
    await Promise.all(players.map((player) => withdraw(player)))
    for (const player of players) expect(await workToEnd(player)).toBe('confirmed')
  })

  it('is refused if it differs from the signed one or the player did not sign it', async () => {
    const alice = await depositor(0)
    const order = { token: 'USDG' as const, amountWei: AMOUNT, nonce: 0 }
    const good = await signWithdrawal(alice, order)
    const bob = new Player(1)
    const other = { ...vaultConfig(), chainId: 1 }
    const otherVault = { ...vaultConfig(), address: USDG_ADDRESS }
    const signatures: Hex[] = [
      await signWithdrawal(alice, { ...order, amountWei: AMOUNT + 1n }),
      await signWithdrawal(alice, { ...order, token: 'ETH' }),
      await signWithdrawal(alice, { ...order, nonce: 1 }),
      await signWithdrawal(alice, order, other),
      await signWithdrawal(alice, order, otherVault),
      await bob.account.sign({ hash: `0x${'11'.repeat(32)}` }),
      highS(good),
      `${good.slice(0, -2)}00` as Hex,
      '0x',
      '0x1234',
    ]
    for (const signature of signatures) {
      const answer = await withdraw(alice, { signature })
      expect([answer.status, codeOf(answer)]).toEqual([422, 'signature_invalid'])
    }
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect((await withdraw(alice, { signature: good })).status).toBe(200)
  })

  it('is refused if it is zero, exceeds the balance, or has a wrong form', async () => {
    const alice = await depositor(0)
    expect(codeOf(await withdraw(alice, { amountWei: 0n }))).toBe('amount_out_of_bounds')
    const answer = await withdraw(alice, { amountWei: 1_000_000_001n })
    expect([answer.status, codeOf(answer)]).toEqual([402, 'insufficient_chips'])
    expect(codeOf(await alice.act('withdraw', { token: 'USDG' }))).toBe('invalid_request')
  })

  it('of a contract wallet is signed with ERC-1271', async () => {
    const alice = await depositor(0)
    // From here on alice is a contract that accepts the hash itself as a signature.
    const code = '0x60043560643514631626ba7e60e01b0260005260206000f3'
    await chain.setCode({ address: alice.account.address, bytecode: code })
    const order = { token: 'USDG' as const, amountWei: AMOUNT, nonce: 0 }
    const refused = await withdraw(alice, { ...order, signature: '0x1234' })
    expect(codeOf(refused)).toBe('signature_invalid')
    const signature = withdrawalHash(vaultConfig(), { player: alice.account.address, ...order })
    expect((await withdraw(alice, { ...order, signature })).status).toBe(200)
    expect(await workToEnd(alice, { ...order, signature })).toBe('confirmed')
  })
})

describe('when a withdrawal cannot be paid', () => {
  it.each<[string, (alice: Player) => Promise<unknown>]>([
    ['the vault is paused', () => asOwner('pause')],
    ['the player is frozen', (alice) => freeze(alice.account.address)],
    ['the token is paused', () => freeze(null)],
  ])('because %s, its nonce is burned on chain before the chips come back', async (_why, stop) => {
    const alice = await depositor(0)
    await stop(alice)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect(await chain.readContract(noncesOf(alice))).toBe(1n)
  })

  it('because the vault is short of funds, the chips come back', async () => {
    const alice = await depositor(0)
    await alice.fund('5000000000')
    await withdraw(alice, { amountWei: 2_000_000_000n })
    expect(await workToEnd(alice, { amountWei: 2_000_000_000n })).toBe('failed')
    expect(await chipsOf(alice)).toBe(6_000_000_000n)
  })

  it.each<[string, (alice: Player) => Promise<unknown>]>([
    ['the vault was paused', () => asOwner('pause')],
    ['the player was frozen', (alice) => freeze(alice.account.address, 'first')],
    ['the token was paused', () => freeze(null, 'first')],
  ])('because %s after it was sent, its nonce is burned first', async (_why, stop) => {
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    // Comes before the withdrawal in the block because it pays more.
    await stop(alice)
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await look()
    expect(await statusOf(alice)).toBe('submitted')
    expect(await chipsOf(alice)).toBe(900_000_000n)
    expect(await workToEnd(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect(await chain.readContract(noncesOf(alice))).toBe(1n)
  })
})

describe('when something fails on the way', () => {
  it('a relayer out of gas waits, alerts the owner, and resumes when it is funded', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await chain.setBalance({ address: RELAYER.address, value: 0n })
    await withdraw(alice)
    await work(alice)
    expect(await statusOf(alice)).toBe('pending')
    const owner = new Player(8)
    expect((await owner.act('house-topup')).body.houseNeedsFunding).toBe(true)
    await chain.setBalance({ address: RELAYER.address, value: 10n ** 18n })
    expect(await workToEnd(alice)).toBe('confirmed')
    expect((await owner.act('house-topup')).body.houseNeedsFunding).toBe(false)
  })

  it('an unresponsive node is asked again within seconds', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await withdraw(alice)
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    await work(alice, 1)
    expect(await nextLookInMs()).toBeLessThanOrEqual(2_000)
    vi.restoreAllMocks()
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('an order that arrives after the look does not wait for the watch', async () => {
    const [alice, bob] = [await depositor(0), await depositor(1)]
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    await withdraw(bob)
    const vault = vaultConfig()
    const order = { token: 'USDG' as const, amountWei: AMOUNT, nonce: 0 }
    const signature = await signWithdrawal(bob, order)
    const payout = { vaultId: vault.id, player: bob.wallet, ...order, amountWei: `${AMOUNT}` }
    const ledgers = env.LEDGER
    await runInDurableObject(relayer(env, vault.chainId), (instance: Relayer) => {
      vi.spyOn(ledgers, 'getByName').mockImplementationOnce((name) => {
        const told = ledgers.getByName(name)
        // Runs while alice's ledger is being updated.
        const withdrawalProgress: typeof told.withdrawalProgress = async (...progress) => {
          await instance.pay({ kind: 'withdrawal', ...payout, signature })
          await told.withdrawalProgress(...progress)
        }
        return { withdrawalProgress } as never
      })
    })
    await look()
    expect(await nextLookInMs()).toBeLessThanOrEqual(2_000)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await workToEnd(bob)).toBe('confirmed')
  })

  it('a node that goes down after it received the transaction loses nothing', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await withdraw(alice)
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const answer = await real(input, init)
      if (isSending(init)) throw new Error('connection lost')
      return answer
    })
    await work(alice, 1)
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(await chain.getTransactionCount({ address: RELAYER.address })).toBe(1)
  })

  it('a node that never received the transaction gets it again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await withdraw(alice)
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      if (isSending(init)) throw new Error('down')
      return real(input, init)
    })
    await work(alice, 2)
    vi.restoreAllMocks()
    expect(await statusOf(alice)).toBe('submitted')
    pass(10_000)
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it.each([
    { paused: false, status: 'confirmed', chips: 900_000_000n, transactions: 1 },
    { paused: true, status: 'failed', chips: 1_000_000_000n, transactions: 2 },
  ])(
    'a restart between any two steps does not change the outcome: $status',
    async ({ paused, status, chips, transactions }) => {
      const alice = await depositor(0)
      await chain.setAutomine(false)
      await withdraw(alice)
      await restart()
      await work(alice, 1)
      if (paused) await asOwner('pause')
      for (let step = 0; step < 8; step++) {
        await restart()
        await chain.mine({ blocks: 1 })
        await work(alice, 1)
      }
      await chain.setAutomine(true)
      expect(await statusOf(alice)).toBe(status)
      expect(await chipsOf(alice)).toBe(chips)
      expect(await chain.getTransactionCount({ address: RELAYER.address })).toBe(transactions)
    },
  )

  it('a player whose contract burns all gas delays no one else and gets the chips back', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const [mallory, alice] = [await depositor(0, 'ETH', 10n ** 18n), await depositor(1)]
    const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
    await withdraw(mallory, order)
    await withdraw(alice)
    // An endless loop.
    await chain.setCode({ address: mallory.account.address, bytecode: '0x5b600056' })
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(await workToEnd(mallory, order)).toBe('failed')
  })

  it('a payout that always fails delays no other', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const [mallory, alice] = [await depositor(0), await depositor(1)]
    await withdraw(mallory)
    await work(mallory, 0)
    await withdraw(alice)
    const real = globalThis.fetch
    const victim = mallory.account.address.slice(2).toLowerCase()
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (body.includes('eth_estimateGas') && body.includes(victim)) throw new Error('always')
      return real(input, init)
    })
    expect(await workToEnd(alice)).toBe('confirmed')
    vi.restoreAllMocks()
    expect(await workToEnd(mallory)).toBe('confirmed')
  })

  it('the payout gets another nonce if another transaction of the account used its own', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    await chain.sendTransaction({ account: RELAYER, to: RELAYER.address, value: 1n, nonce: 0 })
    await look()
    pass(120_000)
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(await chain.getTransactionCount({ address: RELAYER.address })).toBe(2)
  })

  it('a stuck transaction is replaced by one with a higher fee and is paid once', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    const first = await attempts()
    pass(60_000)
    await look()
    const both = await attempts()
    expect(both).toHaveLength(2)
    const fee = (raw: Attempted | undefined) => BigInt(raw?.max_fee ?? 0)
    expect(fee(both[1]) * 100n >= fee(first[0]) * 110n).toBe(true)
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    expect(await workToEnd(alice)).toBe('confirmed')
    expect((await withdraw(alice)).body.withdrawal.txHash).toBe(both[1]?.hash)
  })

  it('a dropped transaction is sent again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    pass(10_000)
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a confirmed transaction removed by a reorg is sent again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    const before = await tokenBalance(alice.account.address, 'USDG')
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before)
    pass(15_000)
    await look()
    pass(15_000)
    await look()
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before + AMOUNT)
    expect(await statusOf(alice)).toBe('confirmed')
  })
})

function noncesOf({ account: { address } }: Player) {
  return {
    address: VAULT_ADDRESS,
    abi: vaultAbi,
    functionName: 'nonces',
    args: [address],
  } as const
}

/** Returns whether a request sends a transaction to the node. */
function isSending(init: RequestInit | undefined): boolean {
  return typeof init?.body === 'string' && init.body.includes('eth_sendRawTransaction')
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Returns the other form of a signature, which is no longer accepted. */
function highS(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  return serializeSignature({ r, s: toHex(ORDER - BigInt(s)), yParity: yParity === 0 ? 1 : 0 })
}

type Attempted = { hash: string; max_fee: string }

function attempts(): Promise<Attempted[]> {
  return runInDurableObject(relayer(env, vaultConfig().chainId), (_, { storage }) =>
    storage.sql.exec<Attempted>('SELECT hash, max_fee FROM attempts ORDER BY rowid').toArray(),
  )
}
