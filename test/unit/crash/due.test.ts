import { describe, expect, it } from 'vitest'
import { isDue, type RoundNow } from '../../../src/crash/due.ts'

const flight = (multiplier: number): RoundNow => ({ roundId: 7, phase: 'flight', multiplier })

describe('a ledger asks for the result of its bet', () => {
  it.each<[string, number, number | null, RoundNow, boolean]>([
    ['while bets are taken', 7, 200, { roundId: 7, phase: 'betting', multiplier: 100 }, false],
    ['below its auto-cash-out', 7, 200, flight(199), false],
    ['from its auto-cash-out on', 7, 200, flight(200), true],
    ['in flight without one', 7, null, flight(5_000), false],
    ['in the results', 7, null, { roundId: 7, phase: 'results', multiplier: 100 }, true],
    ['in a later round', 6, null, { roundId: 7, phase: 'betting', multiplier: 100 }, true],
    ['when the router is a round behind', 8, 101, flight(5_000), false],
  ])('%s', (_when, roundId, target, now, due) => {
    expect(isDue({ roundId, target }, now)).toBe(due)
  })
})
