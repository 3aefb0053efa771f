import { runInNewContext } from 'node:vm'
import { bytesToHex } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import { crashPointFromBits } from '../../../../src/crash/crash-point.ts'
import { hmacOf, TWO_POW_52 } from '../../../../src/fairness/seed.ts'
import { newestTables } from '../../../../src/games/games.ts'
import { EXAMPLES } from '../../../../src/play/strategies/examples.ts'
import { returnOf, type Wager } from '../../../../src/play/strategies/outcomes.ts'
import {
  expectedLoss,
  simulate,
  type Outcome,
  type Simulation,
  type Step,
} from '../../../../src/play/strategies/simulate.ts'

const TERMS = { edgeBps: 100, tables: newestTables() }
const BASE = 10n ** 15n
const SEED = '5a'.repeat(32)

const WAGERS: Record<string, { wager: Wager; variance: number }> = {
  // A bet that pays t with the chance 0.99 / t.
  'crash at 2x': { wager: { game: 'crash', target: 200 }, variance: spread(2) },
  'limbo at 1.5x': { wager: { game: 'limbo', params: { target: 150 } }, variance: spread(1.5) },
  'mines, one of three': {
    wager: { game: 'mines', params: { mines: 3, picked: [4] } },
    variance: spread((0.99 * 25) / 22),
  },
}

/** Returns the variance of what a stake of one pays, if it pays so much or nothing. */
function spread(pays: number): number {
  return 0.99 * pays - 0.99 ** 2
}

function stepOf(text: string): Step {
  return runInNewContext(`(\n${text}\n)`) as Step
}

function play(step: Step, fields: Partial<Simulation> = {}): Outcome {
  const running = simulate(step, {
    wager: { game: 'crash', target: 200 },
    terms: TERMS,
    base: BASE,
    bankroll: 200n * BASE,
    maxStake: 64n * BASE,
    bets: 40,
    runs: 60,
    seedOf: (run) => bytesToHex(hmacOf(SEED, String(run))),
    ...fields,
  })
  for (;;) {
    const { done, value } = running.next()
    if (done) return value
  }
}

describe('a simulated strategy', () => {
  const cases = EXAMPLES.flatMap((example) =>
    Object.entries(WAGERS).map(([name, of]) => ({ ...example, ...of, game: name })),
  )

  it.each(cases)('$name returns what $game returns, to within four standard errors', (each) => {
    const outcome = play(stepOf(each.text), { wager: each.wager })
    // Whatever it stakes, each stake returns the same on average: the sum's variance is that of one bet
    // times the sum of the squares of the stakes.
    const error = Math.sqrt(each.variance * Number(outcome.squares))
    const net = Number(outcome.paid - outcome.staked)
    expect(outcome.bets).toBeGreaterThan(100)
    expect(Math.abs(net + Number(expectedLoss(outcome)))).toBeLessThan(4 * error)
  })

  it('would be caught if a bet paid a tenth more', () => {
    const outcome = play(stepOf(EXAMPLES[0]?.text ?? ''), { bets: 200, runs: 200 })
    const error = Math.sqrt(spread(2) * Number(outcome.squares))
    const net = Number((outcome.paid * 11n) / 10n - outcome.staked)
    expect(Math.abs(net + Number(expectedLoss(outcome)))).toBeGreaterThan(4 * error)
  })

  it('is ruined once it cannot pay its next stake, and keeps what is left', () => {
    const doubling: Step = (_state, { base, stake, bets }) => ({
      stake: bets === 0 ? base : stake * 2n,
    })
    const outcome = play(doubling, {
      wager: { game: 'limbo', params: { target: 100_000_000 } },
      bankroll: 10n * BASE,
      maxStake: 1_000n * BASE,
      runs: 20,
    })
    expect(outcome).toMatchObject({ ruined: 20, longestLosses: 3, staked: 140n * BASE, paid: 0n })
    expect(outcome.balances).toMatchObject({ lowest: 3n * BASE, median: 3n * BASE })
  })

  it('ends before a stake above the largest one', () => {
    const outcome = play(() => ({ stake: 65n * BASE }))
    expect(outcome).toMatchObject({ tooHigh: 60, bets: 0, staked: 0n })
  })
})

describe('the exact return of crash', () => {
  it('counts the numbers that reach a target', () => {
    const { numerator, denominator } = returnOf({ game: 'crash', target: 250 }, TERMS)
    const wins = (numerator * 100n * TWO_POW_52) / (denominator * 250n)
    // r reaches the target from here on.
    const first = TWO_POW_52 - wins
    expect(crashPointFromBits(first, TERMS.edgeBps)).toBeGreaterThanOrEqual(250)
    expect(crashPointFromBits(first - 1n, TERMS.edgeBps)).toBeLessThan(250)
  })
})
