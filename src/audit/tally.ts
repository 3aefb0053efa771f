import { crashPointFromBits } from '../crash/crash-point.ts'
import type { Hundredths } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'

/** The inputs of the statistics. Tallies of parts of an export can be added. */

const CLASSES = 100
const PAIR_SIDE = 10

/** Draws between 0 and 1, in the order in which they were made. */
export interface DrawTally {
  draws: number
  /** The number of draws in each of {@link CLASSES} equal classes. */
  classes: number[]
  /** The pairs of the 1st and 2nd draw, the 3rd and 4th, …, and their classes of 10 × 10. */
  pairs: number
  pairClasses: number[]
  /** The successive draws, and how often they lie on different sides of 1/2. */
  neighbours: number
  changes: number
}

export function emptyDraws(): DrawTally {
  return {
    draws: 0,
    classes: zeros(CLASSES),
    pairs: 0,
    pairClasses: zeros(PAIR_SIDE ** 2),
    neighbours: 0,
    changes: 0,
  }
}

function zeros(length: number): number[] {
  return Array<number>(length).fill(0)
}

/** Counts a draw. @param number its place in its order; pairs begin with an even one */
export function addDraw(
  tally: DrawTally,
  draw: number,
  number: number,
  before: number | null,
): void {
  tally.draws++
  increase(tally.classes, Math.floor(draw * CLASSES))
  if (before === null) return
  tally.neighbours++
  if (draw < 0.5 !== before < 0.5) tally.changes++
  if (number % 2 === 0) return
  tally.pairs++
  const [a, b] = [before, draw].map((one) => Math.floor(one * PAIR_SIDE))
  increase(tally.pairClasses, (a ?? 0) * PAIR_SIDE + (b ?? 0))
}

function increase(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}

/** The targets whose returns are tested. */
const TARGETS = [1.01, 1.5, 2, 5, 10, 100, 1_000]

/** How many settled rounds reached each target, and how many should have. */
export interface CrashTally {
  targets: readonly number[]
  rounds: number
  reached: Map<number, number>
  expectedReached: Map<number, number>
}

export function emptyCrash(): CrashTally {
  return { targets: TARGETS, rounds: 0, reached: new Map(), expectedReached: new Map() }
}

export function addCrash(tally: CrashTally, crash: Hundredths, edgeBps: number): void {
  tally.rounds++
  for (const target of TARGETS) {
    const hundredths = Math.round(target * 100)
    if (crash >= hundredths) tally.reached.set(target, (tally.reached.get(target) ?? 0) + 1)
    const expected = tally.expectedReached.get(target) ?? 0
    tally.expectedReached.set(target, expected + chanceToReach(hundredths, edgeBps))
  }
}

const STEPS = 2n ** 52n

const MAX_KNOWN = 10_000
const knownChances = new Map<string, number>()

/** Returns the exact chance that a round reaches a target, to within the precision of a double. */
export function chanceToReach(target: Hundredths, edgeBps: number): number {
  const key = `${target}:${edgeBps}`
  const known = knownChances.get(key)
  if (known !== undefined) return known
  const chance = computeChance(target, edgeBps)
  if (knownChances.size < MAX_KNOWN) knownChances.set(key, chance)
  return chance
}

function computeChance(target: Hundredths, edgeBps: number): number {
  // The crash point rises with r, so the smallest r that reaches the target decides.
  let [low, high] = [0n, STEPS]
  while (low < high) {
    const middle = (low + high) / 2n
    if (crashPointFromBits(middle, edgeBps) >= target) high = middle
    else low = middle + 1n
  }
  return Number(STEPS - low) / Number(STEPS)
}

/** The stakes and payouts of a game in a token. Amounts in smallest units; moments by the exact returns. */
export interface ReturnTally {
  game: string
  token: Token
  plays: number
  staked: bigint
  paid: bigint
  /** The expected payouts given the choices. */
  expected: number
  /** An upper bound of the sum of the steps' variances, each given the steps before it. */
  variance: number
  /** The most that a step could raise or lower a play's value. */
  largestRise: number
  largestFall: number
}

export function emptyReturns(game: string, token: Token): ReturnTally {
  return {
    game,
    token,
    plays: 0,
    staked: 0n,
    paid: 0n,
    expected: 0,
    variance: 0,
    largestRise: 0,
    largestFall: 0,
  }
}

/**
 * Counts a play as the steps that it took. Each raises the stake's value by at most its factor, or loses it. So a step
 * from u to v has a variance of at most u·(v − u) (Bhatia and Davis, 2000).
 * @param worth the expected return before the first step, and the largest multiplier after each
 */
export function addReturn(
  tally: ReturnTally,
  { amount, payout, worth }: { amount: bigint; payout: bigint; worth: readonly number[] },
): void {
  const stake = Number(amount)
  tally.plays++
  tally.staked += amount
  tally.paid += payout
  tally.expected += stake * (worth[0] ?? 0)
  for (const [index, after] of worth.entries()) {
    const before = worth[index - 1]
    if (before === undefined) continue
    const [rise, fall] = [stake * (after - before), stake * before]
    tally.variance += fall * rise
    tally.largestRise = Math.max(tally.largestRise, rise)
    tally.largestFall = Math.max(tally.largestFall, fall)
  }
}

export function mergeCrash(into: CrashTally, from: CrashTally): void {
  into.rounds += from.rounds
  for (const part of ['reached', 'expectedReached'] as const) {
    for (const [target, count] of from[part]) {
      into[part].set(target, (into[part].get(target) ?? 0) + count)
    }
  }
}

export function mergeVoids(into: VoidTally, from: VoidTally): void {
  for (const field of ['rounds', 'voided'] as const) into[field] += from[field]
  for (const field of ['staked', 'voidedStaked', 'settledStaked', 'settledPaid'] as const) {
    into[field] += from[field]
  }
}

export function mergeReturns(into: ReturnTally, from: ReturnTally): void {
  for (const field of ['plays', 'expected', 'variance'] as const) into[field] += from[field]
  for (const field of ['staked', 'paid'] as const) into[field] += from[field]
  for (const field of ['largestRise', 'largestFall'] as const) {
    into[field] = Math.max(into[field], from[field])
  }
}

/** The stakes of rounds with bets in a token, of all and of voided ones, and the house's profit. */
export interface VoidTally {
  token: Token
  rounds: number
  voided: number
  staked: bigint
  voidedStaked: bigint
  /** The stakes and payouts of settled rounds. */
  settledStaked: bigint
  settledPaid: bigint
}

export function emptyVoids(token: Token): VoidTally {
  return {
    token,
    rounds: 0,
    voided: 0,
    staked: 0n,
    voidedStaked: 0n,
    settledStaked: 0n,
    settledPaid: 0n,
  }
}

/** Counts a round's bets in a token. */
export function addRound(
  tally: VoidTally,
  { isVoid, staked, paid }: { isVoid: boolean; staked: bigint; paid: bigint },
): void {
  if (staked === 0n) return
  tally.rounds++
  tally.staked += staked
  if (isVoid) {
    tally.voided++
    tally.voidedStaked += staked
  } else {
    tally.settledStaked += staked
    tally.settledPaid += paid
  }
}
