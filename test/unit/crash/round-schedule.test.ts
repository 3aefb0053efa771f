import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flightMs, msToReach } from '../../../src/crash/curve.ts'
import { Round, type Placement, type RoundRecord } from '../../../src/crash/round.ts'
import { beaconPublishedAt } from '../../../src/fairness/drand.ts'
import { TOKENS } from '../../../src/money/token.ts'
import {
  BETS_CLOSE_AT,
  OPENED_AT,
  PEPPER,
  placement,
  planOf,
  recordOf,
  roundOf,
  SIGNATURE,
  TAKEOFF_AT,
  VOID_AT,
} from '../support/builders.ts'
import { forAll, forMany } from '../support/for-all.ts'

/** External events: each happens at its own time, however often the round advances. */
interface Story {
  record: RoundRecord
  bets: Placement[]
  /** When the beacon's pepper arrives; null if the house committed to one. */
  pepperAt: number | null
  cashouts: { wallet: string; at: number }[]
  endsAt: number
}

interface Schedule {
  /** Extra times at which the round advances to the present. */
  advanceAt: number[]
  /** When the round restarts from its stored rows. */
  restartAt: number[]
}

type Step = { at: number; run: (round: Round) => Round }

/** Plays a story and returns every payout, every answer and the end of the round. */
function play(story: Story, { advanceAt, restartAt }: Schedule) {
  const answers: unknown[] = []
  const moved = (at: number, then: (round: Round) => Round): Step => ({
    at,
    run: (round) => {
      round.advance(at)
      return then(round)
    },
  })
  const steps: Step[] = [
    ...(story.pepperAt === null ? [] : [story.pepperAt]).map((at) =>
      moved(at, (round) => {
        round.takePepper(PEPPER, SIGNATURE, at)
        return round
      }),
    ),
    ...story.cashouts.map(({ wallet, at }) =>
      moved(at, (round) => {
        answers.push(structuredClone(round.cashOut(wallet, at)))
        return round
      }),
    ),
    ...restartAt.map((at) => ({ at, run: restarted })),
    ...advanceAt.map((at) => moved(at, (round) => round)),
    moved(story.endsAt, (round) => round),
  ]
  let round = new Round(story.record, [])
  for (const bet of story.bets) round.place(bet, OPENED_AT)
  for (const { run } of steps.sort((a, b) => a.at - b.at)) round = run(round)
  return {
    answers,
    bets: round.bets,
    outcomes: round.bets.map(({ betId }) => round.outcome(betId)),
    result: round.result(),
    wins: [...round.view(story.endsAt).wins].sort((a, b) => a.wallet.localeCompare(b.wallet)),
  }
}

function restarted(round: Round): Round {
  return new Round(structuredClone(round.record), structuredClone(round.bets))
}

const anyStory = fc
  .record({
    crash: fc.integer({ min: 100, max: 300 }),
    maxPayout: fc.bigInt({ min: 1_010n, max: 2_500n }),
    spare: fc.bigInt({ min: 0n, max: 6_000n }),
    pepperDelay: fc.option(fc.nat(5_000)),
    bets: fc.array(
      fc.record({
        token: fc.constantFrom(...TOKENS),
        amountWei: fc.bigInt({ min: 1n, max: 1_000n }),
        autoCashout: fc.option(fc.integer({ min: 101, max: 320 })),
        cashoutAfter: fc.array(fc.integer({ min: -100, max: 19_000 }), { maxLength: 2 }),
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ crash, maxPayout, spare, pepperDelay, bets }): Story => {
    const source = pepperDelay === null ? 'committed' : 'drand-quicknet'
    const { flightAt, pepperSource } = planOf(source)
    const publishedAt =
      pepperSource.kind === 'drand-quicknet' ? beaconPublishedAt(pepperSource.round) : null
    const pepperAt = publishedAt === null ? null : publishedAt + (pepperDelay ?? 0)
    const takeoffAt = Math.max(flightAt, pepperAt ?? 0)
    const limits = {
      maxPayout: maxPayout.toString(),
      maxRoundPayout: (maxPayout + spare).toString(),
    }
    return {
      record: recordOf(source, crash, limits),
      bets: bets.map(({ token, amountWei, autoCashout }, index) =>
        placement({ wallet: `player ${index}`, token, amountWei, autoCashout }),
      ),
      pepperAt,
      cashouts: bets.flatMap(({ cashoutAfter }, index) =>
        cashoutAfter.map((after) => ({ wallet: `player ${index}`, at: takeoffAt + after })),
      ),
      endsAt: takeoffAt + flightMs(crash) + 60_000,
    }
  })

/** Times from before bets close to after the longest of these flights. */
const anyTimes = fc.array(fc.integer({ min: BETS_CLOSE_AT - 100, max: BETS_CLOSE_AT + 28_000 }), {
  maxLength: 30,
})

const ONLY_AT_THE_END: Schedule = { advanceAt: [], restartAt: [] }

function everyMillisecond({ endsAt }: Story): Schedule {
  const from = BETS_CLOSE_AT - 1
  const length = endsAt - 59_990 - from
  return { advanceAt: Array.from({ length }, (_, index) => from + index), restartAt: [] }
}

describe('the outcome of every bet', () => {
  it('is the same if the round advances every millisecond or only at its end', () => {
    forMany(60, anyStory, (story) => {
      expect(play(story, everyMillisecond(story))).toEqual(play(story, ONLY_AT_THE_END))
    })
  })

  it('is the same whenever the round advances, and however often it restarts', () => {
    forMany(500, anyStory, anyTimes, anyTimes, (story, advanceAt, restartAt) => {
      expect(play(story, { advanceAt, restartAt })).toEqual(play(story, ONLY_AT_THE_END))
    })
  })

  it('stays within both published limits', () => {
    forMany(500, anyStory, anyTimes, (story, advanceAt) => {
      const { bets, outcomes } = play(story, { advanceAt, restartAt: [] })
      for (const token of TOKENS) {
        const { maxPayout, maxRoundPayout } = story.record.plan.limits[token]
        const payouts = bets.map((bet, index) => {
          const outcome = outcomes[index]
          return bet.token === token && outcome?.kind === 'won' ? BigInt(outcome.payoutWei) : 0n
        })
        const total = payouts.reduce((sum, payout) => sum + payout, 0n)
        expect(payouts.every((payout) => payout <= BigInt(maxPayout))).toBe(true)
        expect(total <= BigInt(maxRoundPayout)).toBe(true)
      }
    })
  })
})

describe('the next time at which a round advances', () => {
  /** Advances a round only at the times it requests, like an alarm that is never late. */
  function ring(round: Round, from: number): number[] {
    const rings: number[] = []
    for (let at = round.nextTransitionAt(from); at !== null && rings.length < 1_000;) {
      rings.push(at)
      round.advance(at)
      at = round.nextTransitionAt(at)
    }
    return rings
  }

  it('is take-off, each forced cash-out, and the crash', () => {
    const round = roundOf(300, [{ autoCashout: 150 }, { wallet: 'bob', autoCashout: 200 }])
    const after = [0, msToReach(150), msToReach(200), flightMs(300)]
    expect(ring(round, OPENED_AT)).toEqual(after.map((ms) => TAKEOFF_AT + ms))
    expect(round.record.status).toBe('crashed')
  })

  it('betrays nothing about the crash until it comes, even by a bet that is cashed out at the crash point', () => {
    const crash = fc.integer({ min: 101, max: 130 })
    const targets = fc.array(fc.integer({ min: 101, max: 130 }), { maxLength: 4 })
    forMany(500, crash, targets, (point, autoCashouts) => {
      const bets = autoCashouts.map((autoCashout, index) => ({ wallet: `${index}`, autoCashout }))
      const ringsWith = (its: number) => ring(roundOf(its, bets), OPENED_AT)
      const crashAt = TAKEOFF_AT + flightMs(point)
      const before = (rings: number[]) => rings.filter((at) => at < crashAt)
      expect(before(ringsWith(point))).toEqual(before(ringsWith(1_000)))
    })
  })

  it('is at least a tenth of a second away, however many cash-outs there are', () => {
    const bets = Array.from({ length: 200 }, (_, index) => ({
      wallet: `player ${index}`,
      autoCashout: 101 + index,
    }))
    const round = roundOf(300, bets)
    const rings = ring(round, OPENED_AT)
    const gaps = rings.slice(1).map((at, index) => at - (rings[index] ?? at))
    expect(Math.min(...gaps.slice(0, -1))).toBe(100)
    expect(rings.at(-1)).toBe(TAKEOFF_AT + flightMs(300))
    expect(round.bets.every(({ cashout, autoCashout }) => cashout === autoCashout)).toBe(true)
  })

  it('is the close of bets, every second from the beacon’s publication on, and the void', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    const rings = ring(round, OPENED_AT)
    const publishedAt = BETS_CLOSE_AT + 2_000
    const seconds = Array.from({ length: 59 }, (_, index) => publishedAt + index * 1_000)
    expect(rings).toEqual([BETS_CLOSE_AT, ...seconds])
    expect(rings.at(-1)).toBe(VOID_AT)
    expect(round.record.status).toBe('voided')
  })

  it('is at once when a late pepper lets the round take off, however long the flight', () => {
    const late = BETS_CLOSE_AT + 5_000
    for (const crash of [101, 104, 388]) {
      const round = new Round(recordOf('drand-quicknet', crash), [])
      round.place(placement(), OPENED_AT)
      round.advance(late)
      round.takePepper(PEPPER, SIGNATURE, late)
      expect([round.nextTransitionAt(late), round.nextDueAt(late)]).toEqual([late, late])
      round.advance(late)
      expect(round.nextTransitionAt(late)).toBe(late + flightMs(crash))
    }
  })

  it('is never later than the void while the pepper is awaited', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    expect(round.nextTransitionAt(VOID_AT - 300)).toBe(VOID_AT)
  })

  it('is always in the future, and leads to the end', () => {
    forAll(anyStory, (story) => {
      const round = new Round(story.record, [])
      for (const bet of story.bets) round.place(bet, OPENED_AT)
      if (story.pepperAt !== null) round.takePepper(PEPPER, SIGNATURE, story.pepperAt)
      const rings = ring(round, story.pepperAt ?? OPENED_AT)
      expect(rings).toEqual([...new Set(rings)].sort((a, b) => a - b))
      expect(round.record.endedAt).toBe(rings.at(-1))
    })
  })
})
