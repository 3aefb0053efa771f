import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { numberToHex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { Relayer } from '../../durable-objects/relayer.ts'
import { ledger } from '../../src/calls/objects.ts'
import { MAX_GAS } from '../../src/chain/sender.ts'
import { MAX_WITHDRAWAL_GAS } from '../../src/relayer/gas.ts'
import { SOON } from '../shared/soon.ts'
import { pass, Player, restart, ringLedger, rowsOf } from '../workers/support.ts'
import { fireTimersAtOnce } from '../workers/timers.ts'
import { RELAYER } from './accounts.ts'
import { lookFor } from './dropped.ts'
import {
  ask,
  asOwner,
  attempts,
  chain,
  chipsOf,
  depositor,
  look,
  nodeAnswers,
  nodeEstimatesNothing,
  nodeFails,
  nodeIsBehind,
  record,
  recordedResult,
  sentByRelayer,
  signWithdrawal,
  statusOf,
  setVars,
  theRelayer,
  useChain,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
  type Attempted,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n

/** How long the relayer waits before it looks at the chain again. */
function nextLookInMs(): Promise<number> {
  return runInDurableObject(theRelayer(), async (_, { storage }) => {
    return (await storage.getAlarm())! - Date.now()
  })
}

/** Whether a call sends a transaction to the node. */
const isSending = (body: string) => body.includes('eth_sendRawTransaction')

describe('when something fails on the way', () => {
  it('a relayer out of gas waits, alerts the owner, and resumes when it is funded', async () => {
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
    const alice = await depositor(0)
    await withdraw(alice)
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    await work(alice, 1)
    expect(await nextLookInMs()).toBeLessThanOrEqual(2_000)
    vi.restoreAllMocks()
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('an order that the relayer answers late is sent again every ten minutes, not once more for each answer', async () => {
    const alice = await depositor(0)
    const pay: Relayer['pay'] = Reflect.get(Relayer.prototype, 'pay')
    let isLate = false
    const slow = vi.spyOn(Relayer.prototype, 'pay').mockImplementationOnce(async function (
      this: Relayer,
      ...order
    ) {
      await pay.apply(this, order)
      await vi.waitFor(() => expect(isLate).toBe(true), SOON)
    })
    await withdraw(alice)
    const timers = fireTimersAtOnce()
    await ringLedger(alice)
    timers.mockRestore()
    pass(2_000)
    await ringLedger(alice)
    expect(slow).toHaveBeenCalledTimes(2)
    isLate = true
    await Promise.all(slow.mock.results.map(({ value }) => value))
    const waiting = () =>
      rowsOf(ledger(env, alice.wallet), `SELECT id FROM outbox WHERE kind = 'payout'`)
    expect(await waiting()).toHaveLength(1)
    pass(600_000)
    await ringLedger(alice)
    expect(slow).toHaveBeenCalledTimes(3)
    expect(await waiting()).toHaveLength(1)
  })

  it('a report that comes after newer ones changes nothing, even if those told nothing new', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    const { id: vaultId } = vaultConfig()
    const [row] = await rowsOf<{ txHash: string; version: number }>(
      ledger(env, alice.wallet),
      'SELECT tx_hash AS txHash, version FROM withdrawals',
    )
    const report = (version: number, status: 'confirmed' | 'submitted', txHash: string) =>
      ledger(env, alice.wallet).withdrawalProgress(vaultId, 0, { status, txHash, version })
    await report(row!.version + 2, 'confirmed', row!.txHash)
    await report(row!.version + 1, 'submitted', `0x${'b'.repeat(64)}`)
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('an order that arrives after the look does not wait for the watch', async () => {
    const [alice, bob] = [await depositor(0), await depositor(1)]
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    await withdraw(bob)
    const { id: vaultId } = vaultConfig()
    const order = { token: 'USDG' as const, amountWei: AMOUNT, nonce: 0 }
    const signature = await signWithdrawal(bob, order)
    const payout = { vaultId, player: bob.wallet, ...order, amountWei: `${AMOUNT}`, isSmall: false }
    const ledgers = env.LEDGER
    await runInDurableObject(theRelayer(), (instance: Relayer) => {
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
    const alice = await depositor(0)
    await withdraw(alice)
    nodeFails(isSending, 'after')
    await work(alice, 1)
    vi.restoreAllMocks()
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(1)
  })

  it('a node that never received the transaction gets it again', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    nodeFails(isSending, 'before')
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
      expect(await sentByRelayer()).toBe(transactions)
    },
  )

  it('a player whose contract burns all gas delays no one else and gets the chips back', async () => {
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
    const [mallory, alice] = [await depositor(0), await depositor(1)]
    await withdraw(mallory)
    await work(mallory, 0)
    await withdraw(alice)
    const victim = mallory.account.address.slice(2).toLowerCase()
    const isTheirs = (body: string) => body.includes('eth_estimateGas') && body.includes(victim)
    nodeFails(isTheirs, 'before')
    expect(await workToEnd(alice)).toBe('confirmed')
    vi.restoreAllMocks()
    expect(await workToEnd(mallory)).toBe('confirmed')
  })

  it('a withdrawal is not given up because one of the nodes is behind', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    nodeIsBehind()
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a withdrawal is sent, however much gas the chain takes for its data', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    nodeAnswers('eth_estimateGas', () => numberToHex(MAX_WITHDRAWAL_GAS + 1n))
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a withdrawal of a wallet whose code would take more gas than the vault allows is not sent', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    await chain.setCode({ address: alice.account.address, bytecode: '0x00' })
    nodeAnswers('eth_estimateGas', () => numberToHex(MAX_WITHDRAWAL_GAS + 1n))
    await work(alice)
    expect(await sentByRelayer()).toBe(0)
    vi.restoreAllMocks()
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a withdrawal of a wallet whose code is estimated to take too much gas is refunded after two minutes', async () => {
    const alice = await depositor(0)
    const chips = await chipsOf(alice)
    await withdraw(alice)
    await chain.setCode({ address: alice.account.address, bytecode: '0x00' })
    let tries = 0
    nodeAnswers('eth_estimateGas', () => {
      tries += 1
      return numberToHex(MAX_WITHDRAWAL_GAS + 1n)
    })
    const error = vi.spyOn(console, 'error')
    await work(alice, 58)
    expect(await statusOf(alice)).toBe('pending')
    expect(tries).toBe(8)
    await lookFor(0.5)
    expect(await statusOf(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(chips)
    expect(error).not.toHaveBeenCalled()
  })

  it('a withdrawal of a wallet whose code is estimated to take too much gas twice, far apart, is not refunded', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    await chain.setCode({ address: alice.account.address, bytecode: '0x00' })
    for (let time = 0; time < 2; time++) {
      nodeAnswers('eth_estimateGas', () => numberToHex(MAX_WITHDRAWAL_GAS + 1n))
      await work(alice, 1)
      vi.mocked(globalThis.fetch).mockRestore()
      if (time === 0) pass(120_000)
    }
    pass(15_000)
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a result is recorded, however much gas the chain takes for its data', async () => {
    nodeAnswers('eth_estimateGas', () => numberToHex(MAX_GAS + 1n))
    await record('7')
    await lookFor(0.5)
    expect(await recordedResult()).toBe(7n)
  })

  it('a result that cannot be estimated is reported after two minutes', async () => {
    nodeEstimatesNothing()
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    await record('7')
    await lookFor(2)
    expect(error).not.toHaveBeenCalled()
    await lookFor(0.5)
    expect(error.mock.lastCall?.[0]).toContain('result_refused')
  })

  it('the payout gets another nonce if another transaction used its own, and draws its gas once', async () => {
    // Too little for two withdrawals a day.
    await setVars(theRelayer(), { RELAYER_GAS_ALLOWANCE: '150000' })
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
    expect(await sentByRelayer()).toBe(2)
  })

  it('a paid withdrawal has drawn its gas, even if the node lacked its receipt for minutes', async () => {
    await setVars(theRelayer(), { RELAYER_GAS_ALLOWANCE: '150000' })
    const alice = await depositor(0)
    await withdraw(alice)
    nodeAnswers('eth_getTransactionReceipt', () => null)
    await work(alice, 1)
    for (let minute = 0; minute < 5; minute++) {
      pass(61_000)
      await look()
    }
    vi.restoreAllMocks()
    expect(await workToEnd(alice)).toBe('confirmed')
    const next = { amountWei: 1_000_000n, nonce: 1 }
    await withdraw(alice, next)
    await work(alice, 3)
    expect(await statusOf(alice, next)).toBe('pending')
  })

  /** Mines a block whose gas costs too much for the transactions that wait. */
  async function makeDear(): Promise<void> {
    await chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 20n * 10n ** 9n })
    await chain.mine({ blocks: 1 })
  }

  it('a transaction on a chain that stands still is sent again at its price', async () => {
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    for (let minute = 0; minute < 40; minute++) {
      pass(61_000)
      await look()
    }
    expect(await attempts()).toHaveLength(1)
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    pass(10_000)
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a stuck transaction is replaced by none that the balance does not cover', async () => {
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    const balance = await chain.getBalance({ address: RELAYER.address })
    await makeDear()
    await chain.setBalance({ address: RELAYER.address, value: 10n ** 15n })
    pass(60_000)
    await look()
    expect(await attempts()).toHaveLength(1)
    await chain.setBalance({ address: RELAYER.address, value: balance })
    pass(10_000)
    await look()
    expect(await attempts()).toHaveLength(2)
    await chain.setAutomine(true)
    await chain.mine({ blocks: 1 })
    expect(await workToEnd(alice)).toBe('confirmed')
  })

  it('a stuck transaction is replaced by one with a higher fee and is paid once', async () => {
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    const first = await attempts()
    await makeDear()
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
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    pass(10_000)
    expect(await workToEnd(alice)).toBe('confirmed')
  })
})
