import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invariant } from '../../../src/core/invariant.ts'
import { limitsOf, planFlight, stageAt, type Flight, type Stage } from '../../../src/crash/plan.ts'
import { beaconPublishedAt, firstBeaconAfter } from '../../../src/fairness/drand.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import {
  BETS_CLOSE_AT,
  OPENED_AT,
  PEPPER,
  planOf,
  SEED,
  TAKEOFF_AT,
  VOID_AT,
} from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

const committed = planOf('committed')
const beacon = planOf('drand-quicknet')

/** The multiplier passes 2.00 (it shows 2.01) after 11,636 ms. */
const FLIGHT_MS = 11_636

describe('the plan of a round', () => {
  it('with a committed pepper takes off when bets close', () => {
    expect(committed).toMatchObject({
      openedAt: OPENED_AT,
      betsCloseAt: BETS_CLOSE_AT,
      flightAt: BETS_CLOSE_AT,
      voidAt: VOID_AT,
      resultsMs: 4_000,
      edgeBps: 100,
      seedHash: commitmentOf(SEED),
      pepperSource: { kind: 'committed', pepperHash: commitmentOf(PEPPER) },
    })
  })

  /** Bets close 3,000,010 s after genesis; round 1,000,005 is published 3 · 1,000,004 s after it. */
  it('with a beacon uses the first one after bets close and takes off a second after it', () => {
    expect(beacon).toMatchObject({
      betsCloseAt: BETS_CLOSE_AT,
      flightAt: BETS_CLOSE_AT + 2_000 + 1_000,
      voidAt: VOID_AT,
      pepperSource: { kind: 'drand-quicknet', round: 1_000_005 },
    })
  })

  it.each([
    ['a millisecond less than 1.5 s before a beacon close with that one', 501, 2_000],
    ['1.5 s before a beacon close as configured', 500, 500],
    ['with a beacon close as configured', -1_000, -1_000],
  ])('whose bets would close %s', (_when, openedMs, closedMs) => {
    const { betsCloseAt, pepperSource } = planOf('drand-quicknet', {}, OPENED_AT + openedMs)
    expect(betsCloseAt).toBe(BETS_CLOSE_AT + closedMs)
    expect(pepperSource).toMatchObject({ round: firstBeaconAfter(betsCloseAt) })
  })

  it('closes bets at least 1.5 s before its beacon, at most 1.5 s later than configured', () => {
    forAll(fc.integer({ min: OPENED_AT, max: OPENED_AT + 10 ** 10 }), (openedAt) => {
      const { betsCloseAt, pepperSource, flightAt } = planOf('drand-quicknet', {}, openedAt)
      invariant(pepperSource.kind === 'drand-quicknet', 'the pepper is a beacon')
      const marginMs = beaconPublishedAt(pepperSource.round) - betsCloseAt
      expect(marginMs).toBeGreaterThanOrEqual(1_500)
      expect(marginMs).toBeLessThanOrEqual(3_000)
      expect(pepperSource.round).toBe(firstBeaconAfter(betsCloseAt))
      expect(flightAt).toBe(betsCloseAt + marginMs + 1_000)
      expect(betsCloseAt - openedAt).toBeGreaterThanOrEqual(8_000)
      expect(betsCloseAt - openedAt).toBeLessThan(9_500)
    })
  })

  it('reveals only the hashes of the seed and the pepper', () => {
    for (const plan of [committed, beacon]) {
      const text = JSON.stringify(plan)
      expect(text).not.toContain(SEED)
      expect(text).not.toContain(PEPPER)
    }
  })

  it('stores each token’s limits as integers', () => {
    expect(limitsOf(committed, 'USDG')).toEqual({
      min: 1n,
      max: 1_000n,
      maxPayout: 100_000n,
      maxRoundPayout: 1_000_000n,
    })
  })
})

describe('a flight', () => {
  it('takes off on schedule if the pepper arrives in time', () => {
    const { takeoffAt, crashAt, resultsUntil } = planFlight(beacon, beacon.flightAt - 1, 200)
    expect(takeoffAt).toBe(beacon.flightAt)
    expect(crashAt).toBe(takeoffAt + FLIGHT_MS)
    expect(resultsUntil).toBe(crashAt + 4_000)
  })

  it('takes off when a late pepper arrives', () => {
    const { takeoffAt, crashAt } = planFlight(beacon, beacon.flightAt + 1_234, 200)
    expect(takeoffAt).toBe(beacon.flightAt + 1_234)
    expect(crashAt).toBe(takeoffAt + FLIGHT_MS)
  })

  it('that crashes at 1.00 ends at take-off', () => {
    const { takeoffAt, crashAt, resultsUntil } = planFlight(committed, OPENED_AT, 100)
    expect(crashAt).toBe(takeoffAt)
    expect(resultsUntil).toBe(takeoffAt + 4_000)
  })
})

describe('the stage of a round', () => {
  const atOnce = planFlight(committed, OPENED_AT, 200)
  const planned = planFlight(beacon, beacon.flightAt - 500, 200)
  const late = planFlight(beacon, beacon.flightAt + 5_000, 200)
  const grounded = planFlight(committed, OPENED_AT, 100)

  it.each<[string, Stage, number]>([
    ['as it opens', 'open', OPENED_AT],
    ['in the last millisecond of betting', 'open', BETS_CLOSE_AT - 1],
    ['as bets close, which is take-off', 'flight', TAKEOFF_AT],
    ['a millisecond later', 'flight', TAKEOFF_AT + 1],
    ['in the last millisecond of the flight', 'flight', TAKEOFF_AT + FLIGHT_MS - 1],
    ['as it crashes', 'results', TAKEOFF_AT + FLIGHT_MS],
    ['in the last millisecond of the results', 'results', TAKEOFF_AT + FLIGHT_MS + 3_999],
    ['as the next round may open', 'over', TAKEOFF_AT + FLIGHT_MS + 4_000],
  ])('with a committed pepper, %s, is %s', (_when, stage, now) => {
    expect(stageAt(committed, atOnce, now)).toBe(stage)
  })

  it.each<[string, Stage, Flight | null, number]>([
    ['in the last millisecond of betting', 'open', null, BETS_CLOSE_AT - 1],
    ['as bets close', 'locked', null, BETS_CLOSE_AT],
    ['a millisecond later', 'locked', null, BETS_CLOSE_AT + 1],
    ['just before the planned take-off', 'locked', planned, beacon.flightAt - 1],
    ['at the planned take-off', 'flight', planned, beacon.flightAt],
    ['at the planned take-off, still without its pepper', 'locked', null, beacon.flightAt],
    ['at the planned take-off, a late pepper known', 'locked', late, late.takeoffAt - 1],
    ['at the take-off a late pepper gave', 'flight', late, beacon.flightAt + 5_000],
    ['just before its crash', 'flight', late, late.crashAt - 1],
    ['at its crash', 'results', late, late.crashAt],
    ['as the next round may open', 'over', late, late.crashAt + 4_000],
    ['in the last millisecond it waits for its pepper', 'locked', null, VOID_AT - 1],
    ['after waiting a minute', 'void', null, VOID_AT],
    ['in flight past that minute', 'flight', { ...late, crashAt: VOID_AT + 2 }, VOID_AT + 1],
  ])('with a beacon, %s, is %s', (_when, stage, flight, now) => {
    expect(stageAt(beacon, flight, now)).toBe(stage)
  })

  it('goes straight from betting to results if the crash is at 1.00', () => {
    expect(stageAt(committed, grounded, TAKEOFF_AT - 1)).toBe('open')
    expect(stageAt(committed, grounded, TAKEOFF_AT)).toBe('results')
  })
})
