import { describe, expect, it } from 'vitest'
import { flightMs, multiplierAt } from '../../../src/crash/curve.ts'
import { Round } from '../../../src/crash/round.ts'
import {
  movingState,
  snapshotExpiresAt,
  steadyState,
  type Snapshot,
} from '../../../src/crash/state.ts'
import {
  BETS_CLOSE_AT,
  LIMITS,
  OPENED_AT,
  planOf,
  recordOf,
  ROUND_ID,
  roundOf,
  TAKEOFF_AT,
  VOID_AT,
  TERMS,
} from '../support/builders.ts'

const CRASH_AT = TAKEOFF_AT + flightMs(300)
const HISTORY = [{ roundId: 6, crash: 123 }]

function snapshotOf(round: Round, now: number): Snapshot {
  round.advance(now)
  return { ...round.view(now), history: HISTORY, recentWins: round.view(now).wins, mode: 'open' }
}

describe('the public state', () => {
  it.each([
    ['as betting opens', OPENED_AT, 'betting', 8_000, 1, null],
    ['in the last millisecond of betting', TAKEOFF_AT - 1, 'betting', 1, 1, null],
    ['as it takes off', TAKEOFF_AT, 'flight', 0, 1, null],
    ['when 2.00 shows', TAKEOFF_AT + 11_553, 'flight', 0, 2, null],
    ['in the last millisecond of the flight', CRASH_AT - 1, 'flight', 0, 3, null],
    ['as it crashes', CRASH_AT, 'results', 4_000, 3, 3],
    ['at the end of the results', CRASH_AT + 3_999, 'results', 1, 3, 3],
  ])('%s', (_when, now, phase, msLeft, multiplier, crashPoint) => {
    expect(movingState(snapshotOf(roundOf(300), now), now)).toEqual({
      roundId: ROUND_ID,
      phase,
      msLeft,
      multiplier,
      crashPoint,
      serverTime: now,
    })
  })

  it('counts down to take-off between the close of bets and a beacon’s pepper', () => {
    const waiting = snapshotOf(new Round(recordOf('drand-quicknet', 300), []), BETS_CLOSE_AT)
    const { flightAt } = planOf('drand-quicknet')
    expect(movingState(waiting, BETS_CLOSE_AT + 500)).toMatchObject({
      phase: 'betting',
      msLeft: flightAt - BETS_CLOSE_AT - 500,
      multiplier: 1,
    })
    expect(movingState(waiting, flightAt + 1_000)).toMatchObject({ phase: 'betting', msLeft: 0 })
  })

  it('follows the snapshot in flight: a cached one never runs past the crash', () => {
    const last = snapshotOf(roundOf(300), CRASH_AT - 1)
    expect(movingState(last, CRASH_AT + 200)).toMatchObject({
      multiplier: 3,
      serverTime: CRASH_AT - 1,
    })
  })

  it('has no crash point if the round was voided', () => {
    const voided = snapshotOf(new Round(recordOf('drand-quicknet', 300), []), VOID_AT)
    expect(movingState(voided, VOID_AT)).toMatchObject({
      phase: 'results',
      msLeft: 0,
      multiplier: 1,
      crashPoint: null,
    })
  })

  it('shows everything else as documented: multipliers as decimals, amounts as text', () => {
    const round = roundOf(300, [{ amountWei: 33n, autoCashout: 199 }])
    const snapshot = snapshotOf(round, CRASH_AT)
    const { min, max, maxPayout, maxRoundPayout } = LIMITS
    expect(
      steadyState(snapshot, { depositFeeBps: 25, terms: TERMS, chain: null, withdrawal: null }),
    ).toEqual({
      ...round.fixedBets,
      edgeBps: snapshot.plan.edgeBps,
      seedHash: snapshot.plan.seedHash,
      pepperSource: snapshot.plan.pepperSource,
      betsCloseAt: BETS_CLOSE_AT,
      flightAt: TAKEOFF_AT,
      growthPerMs: 0.00006,
      history: [{ roundId: 6, crash: 1.23 }],
      recentWins: [{ wallet: 'alice', token: 'ETH', amount: '33', mult: 1.99, payout: '65' }],
      mode: 'open',
      config: {
        bounds: { ETH: { min, max }, USDG: { min, max } },
        bankroll: null,
        chain: null,
        withdrawal: null,
        depositFeeBps: 25,
        terms: TERMS,
        maxPayout: { ETH: maxPayout, USDG: maxPayout },
        maxRoundPayout: { ETH: maxRoundPayout, USDG: maxRoundPayout },
        minForcedMultiplier: 1.01,
      },
    })
  })
})

describe('a snapshot may be shown', () => {
  it('until bets close, so that the root over them is shown from then on', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    const open = snapshotOf(round, OPENED_AT)
    expect(snapshotExpiresAt(open)).toBe(BETS_CLOSE_AT)
    const closed = snapshotOf(round, BETS_CLOSE_AT)
    expect(snapshotExpiresAt(closed)).toBe(closed.plan.flightAt)
    const rootIn = (snapshot: Snapshot) =>
      steadyState(snapshot, { depositFeeBps: 25, terms: TERMS, chain: null, withdrawal: null })
    expect(rootIn(open)).toMatchObject({ betsRoot: null, betCount: null })
    expect(rootIn(closed)).toMatchObject(round.fixedBets)
  })

  it('until take-off in betting, and until the next round in the results', () => {
    expect(snapshotExpiresAt(snapshotOf(roundOf(300), OPENED_AT))).toBe(TAKEOFF_AT)
    expect(snapshotExpiresAt(snapshotOf(roundOf(300), CRASH_AT))).toBe(CRASH_AT + 4_000)
  })

  it('for 200 ms in flight', () => {
    const now = TAKEOFF_AT + 5_000
    const snapshot = snapshotOf(roundOf(300), now)
    expect(snapshot.multiplier).toBe(multiplierAt(5_000))
    expect(snapshotExpiresAt(snapshot)).toBe(now + 200)
  })

  it('for 200 ms while a late pepper is awaited', () => {
    const { flightAt } = planOf('drand-quicknet')
    const waiting = snapshotOf(new Round(recordOf('drand-quicknet', 300), []), flightAt)
    expect(snapshotExpiresAt(waiting)).toBe(flightAt + 200)
  })
})
