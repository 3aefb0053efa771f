import { counted } from '../core/words.ts'
import {
  binomialTest,
  chiSquaredAbove,
  chiSquaredQuantile,
  clopperPearson,
  normalQuantile,
} from './distributions.ts'
import type { CrashTally, DrawTally, ReturnTally } from './tally.ts'

/** The probability that an audit of an honest house raises any false alarm, but for the approximation of χ² tests. */
const ALPHA = 0.001

const POWER = 0.9

const LEAST_DRAWS = 1_000
const LEAST_PAIRS = 100
const LEAST_ROUNDS = 100

/** A test of the audit. reference/audit.md describes each. */
export interface Statistic {
  name: string
  /** The data: "12,345 rounds". */
  sample: string
  /** Null if there is not enough data for the test. */
  result: {
    observed: string
    expected: string
    /** Null for a test by an interval. */
    p: number | null
    passes: boolean
    /** The smallest deviation that would have been noticed with probability 0.9. */
    detectable: string
    /** For the picture: the interval, and the observed and the expected value. */
    shown?: { low: number; high: number; observed: number; expected: number }
  } | null
}

/** A test before its level is known, because the level follows from their number. */
type Prepared = (level: number) => Statistic

export interface Tallies {
  crash: CrashTally
  rounds: DrawTally
  games: ReadonlyMap<string, DrawTally>
  returns: readonly ReturnTally[]
}

/** Carries out all tests. Each that has enough data gets an equal part of {@link ALPHA}. */
export function testAll(tallies: Tallies): Statistic[] {
  const prepared = [
    ...drawTests('crash', 'rounds', tallies.rounds),
    ...[...tallies.games].flatMap(([game, tally]) => drawTests(game, 'plays', tally)),
    ...tallies.crash.targets.map((target) => targetTest(tallies.crash, target)),
    ...tallies.returns.map(returnTest),
  ]
  const made = prepared.filter((test) => test(ALPHA).result !== null).length
  return prepared.map((test) => test(ALPHA / Math.max(1, made)))
}

function drawTests(name: string, noun: string, tally: DrawTally): Prepared[] {
  const { draws, classes, pairs, pairClasses, neighbours, changes } = tally
  return [
    chiSquared(`${name}: draws are uniform`, `${count(draws)} ${noun}`, classes, draws),
    (level) => ({
      name: `${name}: successive draws change sides by chance`,
      sample: `${count(neighbours)} pairs of successive ${noun}`,
      result:
        neighbours < LEAST_PAIRS
          ? null
          : judged(level, binomialTest(changes, neighbours, 0.5), {
              observed: `${count(changes)} changes`,
              expected: count(Math.round(neighbours / 2)),
              detectable: `a chance to change sides of ${percent(0.5 + shift(0.5, neighbours, level))} or ${percent(0.5 - shift(0.5, neighbours, level))}`,
            }),
    }),
    chiSquared(
      `${name}: pairs of draws are independent`,
      `${count(pairs)} pairs of ${noun}`,
      pairClasses,
      pairs,
    ),
  ]
}

function chiSquared(
  name: string,
  sample: string,
  classes: readonly number[],
  total: number,
): Prepared {
  return (level) => {
    if (total < LEAST_DRAWS) return { name, sample, result: null }
    const expected = total / classes.length
    const value = classes.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0)
    const degrees = classes.length - 1
    const typical = Math.sqrt(noticed(degrees, level) / total)
    return {
      name,
      sample,
      result: judged(level, chiSquaredAbove(value, degrees), {
        observed: `χ² = ${value.toFixed(1)}`,
        expected: `${degrees} ± ${Math.sqrt(2 * degrees).toFixed(1)}`,
        detectable: `classes that differ from 1/${classes.length} by ${percent(typical)} of it on average (root mean square)`,
      }),
    }
  }
}

/** Returns the noncentrality that a χ² test notices with the power of the audit, by the normal approximation. */
function noticed(degrees: number, level: number): number {
  const least = chiSquaredQuantile(level, degrees)
  const z = normalQuantile(1 - POWER)
  let [low, high] = [0, 100 * least]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (degrees + middle - least < z * Math.sqrt(2 * (degrees + 2 * middle))) low = middle
    else high = middle
  }
  return high
}

/** Returns the shift of a probability that a count notices with the power of the audit. */
function shift(p: number, trials: number, level: number): number {
  return (normalQuantile(level / 2) + normalQuantile(1 - POWER)) * Math.sqrt((p * (1 - p)) / trials)
}

function targetTest({ rounds, reached, expectedReached }: CrashTally, target: number): Prepared {
  const name = `crash: return at ${target.toFixed(2)}x`
  const sample = `${count(rounds)} rounds`
  return (level) => {
    if (rounds < LEAST_ROUNDS) return { name, sample, result: null }
    const wins = reached.get(target) ?? 0
    const p = (expectedReached.get(target) ?? 0) / rounds
    const [low, high] = clopperPearson(wins, rounds, level)
    const noticedShift = shift(p, rounds, level) * target
    return {
      name,
      sample,
      result: {
        observed: `${percent((wins / rounds) * target)}, between ${percent(low * target)} and ${percent(high * target)}`,
        expected: percent(p * target),
        p: null,
        passes: low <= p && p <= high,
        detectable: detectableReturn('rounds', p * target, noticedShift, noticedShift),
        shown: {
          low: low * target,
          high: high * target,
          observed: (wins / rounds) * target,
          expected: p * target,
        },
      },
    }
  }
}

function returnTest(tally: ReturnTally): Prepared {
  const { game, token, plays, staked, paid, expected, variance } = tally
  const name = `${game}: return in ${token}`
  const sample = counted(plays, 'play')
  return (level) => {
    if (staked === 0n || expected === 0) return { name, sample, result: null }
    const stakes = Number(staked)
    const above = deviationBound(variance, tally.largestRise, level / 2)
    const below = deviationBound(variance, tally.largestFall, level / 2)
    // Each payout is rounded down by less than one smallest unit.
    const [low, high] = [(expected - below - plays) / stakes, (expected + above) / stakes]
    const observed = Number(paid) / stakes
    const deviation = Math.sqrt(variance) * normalQuantile(1 - POWER)
    return {
      name,
      sample,
      result: {
        observed: percent(observed),
        expected: `${percent(expected / stakes)}, between ${percent(Math.max(0, low))} and ${percent(high)}`,
        p: null,
        passes: low <= observed && observed <= high,
        detectable: detectableReturn(
          'plays',
          expected / stakes,
          (below + deviation) / stakes,
          (above + deviation) / stakes,
        ),
        shown: { low: Math.max(0, low), high, observed, expected: expected / stakes },
      },
    }
  }
}

/** Says which shifts of a return would have been noticed. No return is below 0. */
function detectableReturn(noun: string, expected: number, fall: number, rise: number): string {
  return fall < expected
    ? `a return lower by ${percent(fall)} or higher by ${percent(rise)}`
    : `a return higher by ${percent(rise)}; too few ${noun} to detect a lower return`
}

/** The rates of {@link deviationBound}: 1/2, 1/4, …, for sums of up to about 2^125 smallest units. */
const RATES = 128

/**
 * Returns the bound that a sum of steps with mean 0 exceeds with at most this probability. Steps may depend on those
 * before them, and so may their number.
 *
 * Freedman (1975, On tail probabilities for martingales) shows, for steps up to M with the variance V given those
 * before them, that exp(rS − r²V / 2(1 − rM/3)) has a mean of at most 1 for each rate r < 3/M. So S exceeds
 * log(1/p)/r + rV / 2(1 − rM/3) with a probability of at most p. His closed form takes the best rate for a V and an M
 * that are known beforehand. Here, they follow from the steps that were taken, so each rate gets an equal part of the
 * probability.
 */
function deviationBound(variance: number, largest: number, probability: number): number {
  const log = Math.log(RATES / probability)
  let least = Infinity
  for (let rate = 0.5, n = 0; n < RATES; n++, rate /= 2) {
    const room = 1 - (rate * largest) / 3
    if (room > 0) least = Math.min(least, log / rate + (rate * variance) / (2 * room))
  }
  return least
}

function judged(
  level: number,
  p: number,
  facts: { observed: string; expected: string; detectable: string },
): NonNullable<Statistic['result']> {
  return { ...facts, p, passes: p >= level }
}

function count(number: number): string {
  return number.toLocaleString('en')
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`
}
