import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CommitQueue } from '../../durable-objects/kernel/commit-queue.ts'
import { verifySignature } from '../../src/api/auth/wallet-signature.ts'
import { fetchBeacon } from '../../src/calls/beacon.ts'
import { crashRound, crashTable, ledger } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { BetParams } from '../../src/crash/bet.ts'
import { flightMs } from '../../src/crash/curve.ts'
import type { RoundNow } from '../../src/crash/due.ts'
import { limitsOf } from '../../src/crash/plan.ts'
import { CrashRound, CrashTable, Ledger } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { BEACON_1000 } from './beacon.ts'
import {
  fundedPlayer,
  get,
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
  endRound,
  rowsOf,
  passFlight,
} from './support.ts'
import { fireTimersAtOnce } from './timers.ts'

useStories()

const alarmOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_: unknown, { storage }: DurableObjectState) => storage.getAlarm())

/** Moves the round after its next bet, when it is too busy to be asked again. */
function keepRoundBusy(): void {
  const place = Reflect.get(CrashRound.prototype, 'place')
  vi.spyOn(CrashRound.prototype, 'place').mockImplementationOnce(async function (
    this: CrashRound,
    order,
  ) {
    await place.call(this, order)
    throw Object.assign(new Error('moved'), { retryable: true })
  })
  vi.spyOn(CommitQueue.prototype, 'isFull').mockReturnValueOnce(false).mockReturnValueOnce(true)
}

/** Lets no ledger settle a bet until the returned function is called. */
function holdSettlements() {
  let release = () => {}
  const hang = new Promise<void>((resolve) => (release = resolve))
  const settle = Reflect.get(Ledger.prototype, 'settle')
  const settling = vi.spyOn(Ledger.prototype, 'settle').mockImplementation(async function (
    this: Ledger,
    ...args: Parameters<Ledger['settle']>
  ) {
    await hang
    return settle.apply(this, args)
  })
  return { release, settling }
}

describe('when a component is busy, slow or down', () => {
  it('the beacon is fetched with options that the runtime supports', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      void new Request(input, init) // what the real fetch does first
      return Response.json(BEACON_1000)
    })
    const { round, signature } = BEACON_1000
    expect(await fetchBeacon(['https://relay.test'], round)).toBe(signature)
  })

  it('a busy round still collects the stake of a lost bet', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ max: 300 })
    keepRoundBusy()
    await alice.bet('100000000')
    await passFlight(plan)
    expect(await alice.chips()).toBe('900000000') // lost
  })

  it('a busy round does not lose a payout that it announces', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    keepRoundBusy()
    await alice.bet('100000000')
    setTime(plan.flightAt + 11_553)
    const { body } = await alice.cashout()
    expect(body).toMatchObject({ ok: true, payout: '200000000' })
    expect(body.me.chips.USDG).toBe('1100000000')
  })

  it('cashing out of a named round does not need the table', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('100000000')
    setTime(plan.flightAt + 5_000)
    vi.spyOn(CrashTable.prototype, 'snapshot').mockRejectedValue(new Error('overloaded'))
    const { status } = await alice.cashout({ roundId: plan.roundId })
    vi.restoreAllMocks()
    expect(status).toBe(200)
  })

  it('a failure of D1 does not queue a row for every movement', async () => {
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

  it('a failing node is reported as chain_unavailable', async () => {
    const alice = new Player(0)
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    const chain = { chainId: 31_337, rpcUrl: 'http://node.test', confirmations: 1 }
    const config = { ...loadConfig(env), chain }
    const signed = { wallet: alice.wallet, authSig: `0x${'11'.repeat(100)}` }
    const spendOnContract = async () => null
    const refusal = await verifySignature(config, signed, { now: now(), spendOnContract })
    expect(refusal?.error.code).toBe('chain_unavailable')
  })

  it('an alarm does not loop while a message is being delivered', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    setTime(plan.flightAt + flightMs(600))
    const { release, settling } = holdSettlements()
    const stub = crashRound(env, plan.roundId)
    const cron = stub.sweep()
    await vi.waitFor(() => expect(settling).toHaveBeenCalled())
    await ringRound(plan.roundId)
    const next = await alarmOf(stub)
    release()
    await cron
    expect(next === null || next > now()).toBe(true)
  })

  it('a clock that steps back does not keep an old snapshot alive', async () => {
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

  it('a read for a wallet that never played leaves nothing behind', async () => {
    await openRound()
    const stranger = new Player(9)
    await stranger.state()
    const tables = await rowsOf(ledger(env, stranger.wallet), 'SELECT name FROM sqlite_master')
    expect(tables).toEqual([])
  })

  it('a table whose alarm fires a moment early by the round’s clock sets it again', async () => {
    const plan = await openRound({ max: 101 })
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(101))
    await watch()
    await ringRound(plan.roundId)
    pass(plan.resultsMs - 60 - (flightMs(101) - flightMs(crash)))
    await ringTable()
    expect(await alarmOf(crashTable(env))).not.toBe(null)
  })

  it('an alarm that did all its work is not immediately followed by another', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await endRound(plan)
    expect(await alarmOf(crashRound(env, plan.roundId))).toBe(null)
  })

  it('a slow answer is not shown after a newer one', async () => {
    const plan = await openRound({ min: 200, max: 600 })
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + 1_000)
    let release = () => {}
    const late = new Promise<void>((resolve) => (release = resolve))
    const snapshot = Reflect.get(CrashTable.prototype, 'snapshot')
    const asked = vi.spyOn(CrashTable.prototype, 'snapshot').mockImplementationOnce(async function (
      this: CrashTable,
    ) {
      const seen = await snapshot.call(this)
      await late
      return seen
    })
    const slow = watch()
    await vi.waitFor(() => expect(asked).toHaveBeenCalled())
    setTime(plan.flightAt + flightMs(crash))
    expect((await watch()).phase).toBe('results')
    release()
    expect((await slow).phase).toBe('results')
  })

  it('an expired snapshot is requested from the round at most twice, however many wait for it', async () => {
    const plan = await openRound({ min: 1_000 })
    setTime(plan.flightAt + 1_000)
    const asked = vi.spyOn(CrashRound.prototype, 'open')
    await Promise.all(Array.from({ length: 50 }, () => watch()))
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it('in flight, one request asks for a newer snapshot and the others do not wait for it', async () => {
    const plan = await openRound({ min: 1_000 })
    setTime(plan.flightAt + 1_000)
    await watch()
    pass(150)
    const asked = vi.spyOn(CrashTable.prototype, 'snapshot')
    await Promise.all(Array.from({ length: 50 }, () => watch()))
    expect(asked).toHaveBeenCalledOnce()
  })

  it('verify-seeds asks the table once while a round lasts', async () => {
    await openRound({ min: 1_000 })
    const asked = vi.spyOn(CrashTable.prototype, 'disclosure')
    for (let call = 0; call < 20; call++) await get('/api/crash/verify-seeds')
    expect(asked).toHaveBeenCalledOnce()
  })

  it('reads do not make the round ask a relay again before its interval has passed', async () => {
    const plan = await openBeaconRound(() => new Response('', { status: 404 }))
    setTime(plan.betsCloseAt + 3_000)
    for (let read = 0; read < 20; read++) await crashTable(env).snapshot()
    expect(vi.mocked(globalThis.fetch)).toHaveBeenCalledTimes(2)
  })

  it('the table gives up a round that does not answer, and asks it again at the next look', async () => {
    vi.spyOn(CrashRound.prototype, 'open').mockReturnValueOnce(new Promise(() => {}))
    const timers = fireTimersAtOnce(5_000)
    const look = async () => crashTable(env).snapshot()
    await expect(look()).rejects.toThrow('took too long')
    timers.mockRestore()
    expect(await watch()).toMatchObject({ roundId: 1, phase: 'betting' })
  })

  it('a round that does not say how its bet ended keeps nobody from betting in the next', async () => {
    const alice = await fundedPlayer(0)
    const lost = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000')
    await endRound(lost)
    pass(lost.resultsMs)
    const plan = await openRound()
    vi.spyOn(CrashRound.prototype, 'outcome').mockReturnValueOnce(new Promise(() => {}))
    fireTimersAtOnce(2_000)
    const bet = await ledger(env, alice.wallet).bet({
      ...limitsOf(plan, 'USDG'),
      roundId: plan.roundId,
      params: { token: 'USDG', amountWei: 1_000_000n, autoCashout: null },
      now: { roundId: plan.roundId, phase: 'betting', multiplier: 100, decidedTokens: [] },
      open: true,
      isWaiting: false,
      betsCloseAt: plan.betsCloseAt,
      modes: { changes: [], holdsUntil: Infinity },
    })
    expect(bet.ok).toBe(true)
  })

  it('a hundred stalled payouts do not delay the round’s news', async () => {
    const plan = await openRound({ min: 200, max: 600 })
    const { crash } = await secretsOf(plan.roundId)
    const seen: RoundNow = {
      roundId: plan.roundId,
      phase: 'betting',
      multiplier: 100,
      decidedTokens: [],
    }
    const params: BetParams = { token: 'USDG', amountWei: 10_000n, autoCashout: 150 }
    const modes = { changes: [], holdsUntil: Infinity }
    const stage = { open: true, isWaiting: false, betsCloseAt: plan.betsCloseAt }
    const request = { roundId: plan.roundId, params, ...stage }
    for (let index = 0; index < 101; index++) {
      const books = ledger(env, `0x${String(index).padStart(40, '0')}`)
      await books.faucet('chips', 'USDG', 10_000n)
      const { ok } = await books.bet({ ...request, now: seen, modes, ...limitsOf(plan, 'USDG') })
      expect(ok).toBe(true)
    }
    setTime(plan.flightAt + flightMs(crash))
    const { release } = holdSettlements()
    const round = crashRound(env, plan.roundId)
    const told = vi.spyOn(CrashTable.prototype, 'recordEnd')
    const sweeps = [round.sweep(), round.sweep()]
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), SOON)
    release()
    await Promise.all(sweeps)
    expect(await round.sweep()).toBe(0)
  })
})
