import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { Relayer } from '../../durable-objects/relayer.ts'
import { relayer } from '../../src/objects.ts'
import { pass, Player, restart, useStories } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import {
  ask,
  asOwner,
  chain,
  chipsOf,
  depositor,
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

/** Returns whether a request sends a transaction to the node. */
function isSending(init: RequestInit | undefined): boolean {
  return typeof init?.body === 'string' && init.body.includes('eth_sendRawTransaction')
}

type Attempted = { hash: string; max_fee: string }

function attempts(): Promise<Attempted[]> {
  return runInDurableObject(relayer(env, vaultConfig().chainId), (_, { storage }) =>
    storage.sql.exec<Attempted>('SELECT hash, max_fee FROM attempts ORDER BY rowid').toArray(),
  )
}

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
