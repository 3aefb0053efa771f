import { runInDurableObject } from 'cloudflare:test'
import { pad, toHex, type Address } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { Payouts } from '../../durable-objects/relayer/payouts.ts'
import { Transactions } from '../../durable-objects/relayer/transactions.ts'
import { ORDER_STEPS } from '../../src/relayer/payout.ts'
import { now, pass, outcomeOf } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import {
  ask,
  asOwner,
  beforeNext,
  chain,
  chipsOf,
  depositor,
  look,
  nodeAnswers,
  record,
  recordedResult,
  sentByRelayer,
  statusOf,
  theRelayer,
  useChain,
  vault,
  vaultConfig,
  withdraw,
  work,
} from './support.ts'

useChain()

describe('a withdrawal', () => {
  it('whose receipt a lagging node does not know is still confirmed', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    pass(120_000)
    nodeAnswers('eth_getTransactionReceipt', () => null)
    await look()
    vi.restoreAllMocks()
    await work(alice, 3)
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('is not held up by twenty that only an operator can resolve', async () => {
    const alice = await depositor(0)
    await chain.setAutomine(false)
    for (let nonce = 0; nonce < 20; nonce++) {
      const player: Address = pad(toHex(nonce + 1), { size: 20 })
      const burn = { ...vault, functionName: 'burnNonce', args: [player, 0n] } as const
      await chain.writeContract({ ...burn, account: RELAYER, nonce, gas: 100_000n })
      const order = { token: 'USDG' as const, amountWei: '1', nonce: 0, signature: '0x' }
      const whose = { vaultId: vaultConfig().id, player, isSmall: false }
      await theRelayer().pay({ kind: 'withdrawal', ...whose, ...order })
    }
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await look()
    await withdraw(alice)
    await work(alice, 4)
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('is paid if a reorg has removed the one before it', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    await work(alice, 3)
    expect(await statusOf(alice)).toBe('confirmed')
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    for (let time = 0; time < 3; time++) await chipsOf(alice)
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    for (let time = 0; time < 4; time++) {
      await work(alice, 1)
      pass(15_000)
    }
    expect(await statusOf(alice, { nonce: 1 })).toBe('confirmed')
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('that the vault refuses is burned at the same look', async () => {
    const alice = await depositor(0)
    await asOwner('pause')
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('failed')
  })

  it('to a wallet that takes it only in a simulation costs ever less gas', async () => {
    const mallory = await depositor(0, 'ETH', 10n ** 18n)
    // Signs any hash; takes no coins if tx.gasprice != 0.
    const bytecode = '0x36600d573a600957005b5f5ffd5b631626ba7e60e01b5f5260205ff3'
    await chain.setCode({ address: mallory.account.address, bytecode })
    const order = { token: 'ETH' as const, amountWei: 10n ** 17n }
    let nonce = 0
    const tease = async () => {
      for (let looks = 0; looks < 5; looks++) {
        const { body } = await withdraw(mallory, { ...order, nonce })
        if (body.withdrawal?.status === 'failed') nonce++
        await work(mallory, 1)
      }
    }
    for (let times = 0; times < 3; times++) await tease()
    // Each costs gas in vain and is burned.
    expect([nonce, await sentByRelayer()]).toEqual([1, 2])
    pass(120_000)
    await tease()
    expect([nonce, await sentByRelayer()]).toEqual([2, 4])
    pass(400_000)
    await tease()
    expect([nonce, await sentByRelayer()]).toEqual([2, 4])
    for (let hours = 0; hours < 24; hours++) {
      pass(3_600_000)
      await tease()
    }
    expect(nonce).toBeLessThan(12)
  })

  it('signed by the key of an account with code is taken, as the vault takes it', async () => {
    const alice = await depositor(0)
    await chain.setCode({ address: alice.account.address, bytecode: '0x00' })
    expect(outcomeOf(await withdraw(alice))).toEqual([200, undefined])
    await work(alice, 4)
    expect(await statusOf(alice)).toBe('confirmed')
  })
})

describe("the house's result", () => {
  async function withoutGas(happens: () => Promise<void>): Promise<void> {
    await chain.setBalance({ address: RELAYER.address, value: 0n })
    await happens()
    await look()
    await chain.setBalance({ address: RELAYER.address, value: 10n ** 18n })
    for (let time = 0; time < 4; time++) {
      pass(2_000)
      await look()
    }
  }

  it('keeps the latest value requested, however many others waited for gas', async () => {
    await withoutGas(async () => {
      for (let result = 0; result <= 20; result++) {
        await record(result.toString())
        pass(1)
      }
    })
    expect(await recordedResult()).toBe(20n)
  })

  it('is sent alone if it replaces another while the relayer reads the chain for that', async () => {
    await record('7')
    beforeNext('"eth_estimateGas"', async () => {
      pass(1)
      await record('8')
    })
    for (let time = 0; time < 3; time++) await look()
    expect([await recordedResult(), await sentByRelayer()]).toEqual([8n, 1])
  })

  it('is not recorded if it is old, because the vault would date it today', async () => {
    await withoutGas(async () => {
      await record('7')
      await look()
      pass(600_001)
    })
    expect(await recordedResult()).toBe(0n)
    await record('8')
    await look()
    expect(await recordedResult()).toBe(8n)
  })

  it('is abandoned, and its nonce used up, if it isn’t mined for minutes', async () => {
    await chain.setAutomine(false)
    await record('7')
    for (let time = 0; time < 30; time++) {
      await look()
      pass(15_000)
    }
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await look()
    expect([await recordedResult(), await sentByRelayer()]).toEqual([0n, 1])
    await record('8')
    await look()
    expect(await recordedResult()).toBe(8n)
  })
})

describe('the relayer', () => {
  it('holds failed transactions against a wallet for a time only', async () => {
    const wasted = await runInDurableObject(theRelayer(), (_, { storage }) => {
      const transactions = new Transactions(storage.sql)
      const receipt = { block: 1, isSuccess: false, costWei: 1n }
      for (const [nonce, at] of [1_000, 2_000, 3_000].entries()) {
        const id = transactions.add(RELAYER.address, nonce, 'v:mallory:0', 1n)
        transactions.setConfirmed(id, { hash: `0x${nonce}`, ...receipt }, at)
        transactions.close(id)
      }
      return transactions.wasted('v:mallory:', 1_000, 'sent')
    })
    expect(wasted).toEqual({ count: 2, latestAt: 3_000 })
  })

  it('reads only unfinished withdrawals, however many it has sent', async () => {
    const order = { kind: 'result', vaultId: '', token: 'ETH', resultWei: '0', at: 0 } as const
    const rowsRead = await runInDurableObject(theRelayer(), (_, { storage }) => {
      const cursors: SqlStorageCursor<never>[] = []
      const sql = {
        exec(...args: Parameters<SqlStorage['exec']>) {
          const cursor = storage.sql.exec<never>(...args)
          cursors.push(cursor)
          return cursor
        },
      } as unknown as SqlStorage
      const transactions = new Transactions(sql)
      for (let nonce = 0; nonce < 200; nonce++) {
        transactions.close(transactions.add(RELAYER.address, nonce, 'paid', 1n))
      }
      const payouts = new Payouts(sql)
      payouts.add('id', order, 'record', 1)
      cursors.length = 0
      transactions.open()
      transactions.mined(1)
      transactions.confirmed(1)
      transactions.unwatched(RELAYER.address, 200, 1)
      payouts.queued(now(), 20, ORDER_STEPS)
      return cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0)
    })
    expect(rowsRead).toBeLessThan(20)
  })
})
