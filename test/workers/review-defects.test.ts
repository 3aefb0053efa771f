import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CommitQueue } from '../../durable-objects/kernel/commit-queue.ts'
import { verifySignature } from '../../src/auth/wallet-signature.ts'
import { loadConfig } from '../../src/config.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { fetchBeacon } from '../../src/fairness/beacon.ts'
import { crashRound, crashTable, ledger } from '../../src/objects.ts'
import { CrashRound, CrashTable, Ledger } from '../../src/worker.ts'
import {
  BEACON,
  fundedPlayer,
  now,
  openBeaconRound,
  openRound,
  pass,
  Player,
  ringLedger,
  ringRound,
  ringTable,
  secretsOf,
  setTime,
  useStories,
  watch,
} from './support.ts'

useStories()

const alarmOf = (stub: DurableObjectStub<undefined>) =>
  runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) => storage.getAlarm())

describe('review', () => {
  it('R1 the beacon is fetched with options that the runtime takes', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      void new Request(input as string, init) // what the real fetch does first
      return Response.json({ round: BEACON.round, signature: BEACON.signature })
    })
    expect(await fetchBeacon(['https://relay.test'], BEACON.round)).toBe(BEACON.signature)
  })

  it('R1b the real fetch of this runtime takes redirect: error', async () => {
    const answer = await fetch('https://relay.test', { redirect: 'error' }).then(
      (r) => r.status,
      (fault: unknown) => String(fault),
    )
    expect(answer).toBe(502)
  })

  it('R2 a busy round does not make a placed bet free', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await fundedPlayer(0)
    const plan = await openRound({ max: 300 })
    const place = Reflect.get(CrashRound.prototype, 'place')
    vi.spyOn(CrashRound.prototype, 'place').mockImplementationOnce(async function (
      this: CrashRound,
      order,
    ) {
      await place.call(this, order)
      throw Object.assign(new Error('moved'), { retryable: true })
    })
    vi.spyOn(CommitQueue.prototype, 'isFull').mockReturnValueOnce(false).mockReturnValueOnce(true)
    await alice.bet('100000000')
    setTime(plan.flightAt + flightMs((await secretsOf(plan.roundId)).crash))
    expect(await alice.chips()).toBe('900000000') // lost
  })

  it('R2b a busy round does not swallow a payout it announces', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    const place = Reflect.get(CrashRound.prototype, 'place')
    vi.spyOn(CrashRound.prototype, 'place').mockImplementationOnce(async function (
      this: CrashRound,
      order,
    ) {
      await place.call(this, order)
      throw Object.assign(new Error('moved'), { retryable: true })
    })
    vi.spyOn(CommitQueue.prototype, 'isFull').mockReturnValueOnce(false).mockReturnValueOnce(true)
    await alice.bet('100000000')
    setTime(plan.flightAt + 11_553)
    const { body } = await alice.cashout()
    expect(body).toMatchObject({ ok: true, payout: '200000000' })
    expect(body.me.chips.USDG).toBe('1100000000')
  })

  it('R3 a cash-out of a named round does not need the table', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 5_000)
    vi.spyOn(CrashTable.prototype, 'snapshot').mockRejectedValue(new Error('overloaded'))
    const { status } = await alice.cashout({ roundId: plan.roundId })
    vi.restoreAllMocks()
    expect(status).toBe(200)
  })

  it('R4 a snapshot that came slowly does not close betting early', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(() => new Response('', { status: 404 }))
    const snapshot = Reflect.get(CrashTable.prototype, 'snapshot')
    vi.spyOn(CrashTable.prototype, 'snapshot').mockImplementationOnce(async function (
      this: CrashTable,
    ) {
      pass(1_500)
      return snapshot.call(this)
    })
    const seen = await watch()
    const { serverTime } = seen
    console.log(JSON.stringify(seen), now(), plan.openedAt)
    setTime(plan.betsCloseAt - 1_000)
    const { status } = await alice.bet('100000000')
    expect([serverTime - plan.openedAt, status]).toEqual([1_500, 200])
  })

  it('R5 D1 being down does not make a row for every movement', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await fundedPlayer(0)
    await env.DB.exec('ALTER TABLE ledger_positions RENAME TO away')
    for (let cycle = 0; cycle < 30; cycle++) {
      pass(20_000)
      await ringLedger(alice)
      await alice.fund('1')
    }
    const rows = await runInDurableObject(
      ledger(env, alice.wallet),
      (_, { storage }) => storage.sql.exec('SELECT * FROM outbox').toArray().length,
    )
    await env.DB.exec('ALTER TABLE away RENAME TO ledger_positions')
    expect(rows).toBe(1)
  })

  it('R6 a node that is down is chain_unavailable', async () => {
    const alice = new Player(0)
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    const config = { ...loadConfig(env), rpcUrl: 'http://node.test' }
    const refusal = await verifySignature(config, alice.wallet, `0x${'11'.repeat(100)}`, now())
    expect(refusal?.error.code).toBe('chain_unavailable')
  })

  it('R7 an alarm does not spin while a message is under way', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    setTime(plan.flightAt + flightMs(600))
    let release = () => {}
    const hang = new Promise<void>((resolve) => (release = resolve))
    const settle = Reflect.get(Ledger.prototype, 'settle')
    vi.spyOn(Ledger.prototype, 'settle').mockImplementation(async function (
      this: Ledger,
      ...args: Parameters<Ledger['settle']>
    ) {
      await hang
      return settle.apply(this, args)
    })
    const stub = crashRound(env, plan.roundId)
    const cron = stub.sweep()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await ringRound(plan.roundId)
    const next = await alarmOf(stub as unknown as DurableObjectStub<undefined>)
    release()
    await cron
    expect(next === null || next > now()).toBe(true)
  })

  it('R8 a clock that steps back does not keep an old snapshot alive', async () => {
    const plan = await openRound({ min: 1_000 })
    setTime(plan.flightAt + 1_000)
    await watch()
    const asked = vi.spyOn(CrashTable.prototype, 'snapshot')
    setTime(now() - 10_000)
    await watch()
    pass(9_000)
    await watch()
    expect(asked).toHaveBeenCalled()
  })

  it('R9 looking at a wallet that never played leaves nothing behind', async () => {
    await openRound()
    const stranger = new Player(9)
    await stranger.state()
    const size = await runInDurableObject(
      ledger(env, stranger.wallet),
      (_, { storage }) => storage.sql.databaseSize,
    )
    const roundSize = await runInDurableObject(
      crashRound(env, 1),
      (_, { storage }) => storage.sql.databaseSize,
    )
    expect([size, roundSize]).toEqual([0, 0])
  })

  it('R10 a table whose alarm comes a moment early by the round’s clock rings again', async () => {
    const plan = await openRound({ max: 101 })
    setTime(plan.flightAt + flightMs(101))
    await watch()
    await ringRound(plan.roundId)
    pass(plan.resultsMs - 60 - (flightMs(101) - flightMs((await secretsOf(plan.roundId)).crash)))
    await ringTable()
    expect(await alarmOf(crashTable(env) as unknown as DurableObjectStub<undefined>)).not.toBe(null)
  })

  it('R11 an alarm that did all its work is not followed by another at once', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    setTime(plan.flightAt + flightMs(600))
    await ringRound(plan.roundId)
    expect(await alarmOf(crashRound(env, plan.roundId) as unknown as DurableObjectStub<undefined>)).toBe(null)
  })
})
