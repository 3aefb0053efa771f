import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { BATCH } from '../../durable-objects/crash-round/notices.ts'
import { crashRound, crashTable, ledger } from '../../src/calls/objects.ts'
import type { BetParams } from '../../src/crash/bet.ts'
import { msToReach } from '../../src/crash/curve.ts'
import { limitsOf } from '../../src/crash/plan.ts'
import { beaconPublishedAt } from '../../src/fairness/drand.ts'
import { CrashRound, CrashTable, Ledger, TransparencyLog } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { publishedBeacon, useOwnBeacon } from './beacon.ts'
import { loggedEntries } from './public-log.ts'
import {
  audit,
  endRound,
  fundedPlayer,
  holdAnswer,
  loseAlarm,
  now,
  openBeaconRound,
  openRound,
  pass,
  passFlight,
  restart,
  ringRound,
  rowsOf,
  setTime,
  useStories,
  watch,
} from './support.ts'

useStories()
useOwnBeacon()

const alarmOf = (roundId: number) =>
  runInDurableObject(crashRound(env, roundId), (_, { storage }) => storage.getAlarm())

/** Returns the round's stored list of pending notices. */
async function pendingOf(roundId: number): Promise<unknown> {
  const [row] = await rowsOf<{ pending: string | null }>(
    crashRound(env, roundId),
    'SELECT pending FROM round',
  )
  return JSON.parse(row?.pending ?? 'null')
}

/** Makes calls to ledgers fail until restored, and counts them. */
function ledgersFail() {
  const settle = vi.spyOn(Ledger.prototype, 'settle').mockRejectedValue(new Error('overloaded'))
  return { calls: () => settle.mock.calls.length, restore: () => settle.mockRestore() }
}

it('a payout waits for a later sweep of the table, even if the crash comes while an earlier one reads the flight', async () => {
  const alice = await fundedPlayer(0)
  const plan = await openRound({ min: 300, max: 600 })
  await alice.bet('100000000', { autoCashout: 1.5 })
  setTime(plan.flightAt)
  await ringRound(plan.roundId)
  const ledgers = ledgersFail()
  const sweep = Reflect.get(CrashRound.prototype, 'sweep')
  const held = holdAnswer()
  vi.spyOn(CrashRound.prototype, 'sweep').mockImplementationOnce(async function (this: CrashRound) {
    return held.after(await sweep.call(this))
  })
  const swept = crashTable(env).sweep()
  await held.isGiven()
  await endRound(plan)
  held.release()
  await swept
  ledgers.restore()
  await loseAlarm(crashRound(env, plan.roundId))
  await restart()
  pass(600_000)
  await crashTable(env).sweep()
  expect(await audit(alice)).toMatchObject({ balances: { USDG: { chips: '1050000000' } } })
})

describe.each([false, true])('a ledger that did not answer, with a restart: %s', (isRestarted) => {
  it('gets a payout from the alarm without a request', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000', { autoCashout: 1.5 })
    const ledgers = ledgersFail()
    await endRound(plan)
    ledgers.restore()
    if (isRestarted) await restart()
    pass(5_000)
    expect(await alarmOf(plan.roundId)).not.toBeNull()
    await ringRound(plan.roundId)
    expect(await audit(alice)).toMatchObject({
      balances: { USDG: { chips: '1050000000', in_play: '0' } },
    })
    expect(await pendingOf(plan.roundId)).toEqual([])
  })

  it('gets a refund from the alarm without a request', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(() => new Response('', { status: 404 }))
    await alice.bet('100000000')
    const ledgers = ledgersFail()
    setTime(plan.voidAt)
    await ringRound(plan.roundId)
    ledgers.restore()
    if (isRestarted) await restart()
    pass(5_000)
    await ringRound(plan.roundId)
    expect(await audit(alice)).toMatchObject({
      balances: { USDG: { chips: '1000000000', in_play: '0' } },
    })
  })
})

describe('a ledger that did not answer a cash-out', () => {
  it.each([false, true])('gets it in flight, with a restart: %s', async (isRestarted) => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 10_000, max: 99_000_000 })
    await alice.bet('100000000')
    setTime(plan.flightAt)
    await ringRound(plan.roundId)
    pass(10_000)
    const ledgers = ledgersFail()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    expect((await alice.cashout()).status).toBe(500)
    const waking = timers.mock.calls.find(([, delayMs]) => delayMs === 2_000)
    timers.mockRestore()
    ledgers.restore()
    pass(2_000)
    if (isRestarted) {
      await restart()
      await crashRound(env, plan.roundId).sweep()
    } else {
      await runInDurableObject(crashRound(env, plan.roundId), () => waking?.[0](undefined))
      expect(await alarmOf(plan.roundId)).toBe(now())
      await ringRound(plan.roundId)
    }
    expect(await audit(alice)).toMatchObject({ balances: { USDG: { in_play: '0' } } })
  })
})

describe('a round that restarts as it ends', () => {
  it('notifies its table and its history', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000')
    await passFlight(plan)
    expect((await crashRound(env, plan.roundId).result())?.kind).toBe('settled')
    await restart()
    await ringRound(plan.roundId)
    const rounds = await env.HISTORY.prepare('SELECT round_id FROM crash_rounds').all()
    expect(rounds.results).toEqual([{ round_id: plan.roundId }])
  })

  it('notifies the ledgers of refunds', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(() => new Response('', { status: 404 }))
    await alice.bet('100000000')
    setTime(plan.voidAt)
    expect((await crashRound(env, plan.roundId).result())?.kind).toBe('voided')
    await restart()
    await ringRound(plan.roundId)
    expect(await audit(alice)).toMatchObject({
      balances: { USDG: { chips: '1000000000', in_play: '0' } },
    })
  })
})

describe('a recipient that never answers', () => {
  /** Passes the time of timers below ten seconds at once. Longer ones never fire, so no delivery counts as failed. */
  function skipWaits() {
    const set = setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, delayMs = 0) =>
      set(() => {
        if (delayMs >= 10_000) return
        pass(delayMs)
        run()
      }, 0),
    )
  }

  it('does not hold up the take-off', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(publishedBeacon)
    await alice.bet('1000000')
    vi.spyOn(TransparencyLog.prototype, 'append').mockReturnValue(new Promise(() => {}))
    skipWaits()
    setTime(plan.betsCloseAt)
    await ringRound(plan.roundId)
    expect(now()).toBe(beaconPublishedAt(plan.beacon))
    expect(await alarmOf(plan.roundId)).toBe(plan.flightAt)
    setTime(plan.flightAt)
    expect(await watch()).toMatchObject({ phase: 'flight' })
  })

  it('does not hold up the crash', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000', { autoCashout: 1.5 })
    await bob.bet('100000000')
    vi.spyOn(Ledger.prototype, 'settle').mockReturnValue(new Promise(() => {}))
    skipWaits()
    setTime(plan.flightAt + msToReach(150))
    await ringRound(plan.roundId)
    await passFlight(plan)
    expect(await alarmOf(plan.roundId)).toBe(now())
    await ringRound(plan.roundId)
    await vi.waitFor(
      async () => expect(await crashTable(env).newestRoundId()).toBe(plan.roundId),
      SOON,
    )
  })
})

describe('an ended round', () => {
  it('is public although one of many ledgers does not answer', async () => {
    const plan = await openRound({ min: 300, max: 600 })
    const modes = { changes: [], holdsUntil: Infinity }
    const params: BetParams = { token: 'USDG', amountWei: 10_000n, autoCashout: 110 }
    for (let index = 0; index <= BATCH; index++) {
      const books = ledger(env, `0x${String(index).padStart(40, '0')}`)
      await books.faucet('chips', 'USDG', 10_000n)
      const { ok } = await books.bet({
        ...limitsOf(plan, 'USDG'),
        roundId: plan.roundId,
        params,
        now: { roundId: plan.roundId, phase: 'betting', multiplier: 100, decidedTokens: [] },
        open: true,
        isWaiting: false,
        betsCloseAt: plan.betsCloseAt,
        modes,
      })
      expect(ok).toBe(true)
    }
    let answer = () => {}
    const silent = new Promise<void>((resolve) => (answer = resolve))
    vi.spyOn(Ledger.prototype, 'settle').mockImplementationOnce(async () => {
      await silent
      throw new Error('the object moved')
    })
    await passFlight(plan)
    const sweep = crashRound(env, plan.roundId).sweep()
    await vi.waitFor(async () => {
      const entries = await loggedEntries()
      expect(entries.map(({ kind }) => kind)).toContain('end')
      expect(await crashTable(env).newestRoundId()).toBe(plan.roundId)
    }, SOON)
    answer()
    await sweep
    // A full batch is not waited for, so a slow machine needs more sweeps.
    await vi.waitFor(async () => {
      pass(5_000)
      expect(await crashRound(env, plan.roundId).sweep()).toBe(0)
    }, SOON)
  })

  it('notifies only the remaining recipients after a restart', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000', { autoCashout: 1.5 })
    await bob.bet('100000000', { autoCashout: 1.5 })
    const ledgers = ledgersFail()
    vi.spyOn(Ledger.prototype, 'settle').mockImplementationOnce(async () => ({}) as never)
    await endRound(plan)
    // Bob's. What goes to the log may take longer.
    await vi.waitFor(async () => expect(await pendingOf(plan.roundId)).toHaveLength(1), SOON)
    await restart()
    pass(5_000)
    const before = ledgers.calls()
    await ringRound(plan.roundId)
    expect(ledgers.calls() - before).toBe(1)
    ledgers.restore()
    pass(5_000)
    await ringRound(plan.roundId)
  })

  it('reaches the table and the history after a restart, if neither answered before', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('100000000')
    const table = vi.spyOn(CrashTable.prototype, 'recordEnd')
    table.mockRejectedValue(new Error('overloaded'))
    await env.HISTORY.exec('ALTER TABLE crash_rounds RENAME TO away')
    await endRound(plan)
    table.mockRestore()
    await env.HISTORY.exec('ALTER TABLE away RENAME TO crash_rounds')
    await restart()
    pass(5_000)
    await ringRound(plan.roundId)
    const rounds = await env.HISTORY.prepare('SELECT round_id FROM crash_rounds').all()
    expect(rounds.results).toEqual([{ round_id: plan.roundId }])
    const known = 'SELECT round_id FROM rounds WHERE result IS NOT NULL'
    expect(await rowsOf(crashTable(env), known)).toEqual([{ round_id: plan.roundId }])
  })
})
