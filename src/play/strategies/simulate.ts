import type { PayTerms } from '../../games/game.ts'
import { scaleDown, type Rational } from '../../money/rational.ts'
import { drawMultiplier, returnOf, type Wager } from './outcomes.ts'
import { kindOf, type Action, type StrategyEvent } from './strategy.ts'

/** The inputs of a simulation. Amounts in smallest units. */
export interface Simulation {
  wager: Wager
  terms: PayTerms
  base: bigint
  /** The amount that each run begins with. A run that can't pay its next stake is ruined. */
  bankroll: bigint
  maxStake: bigint
  /** The most bets of a run. */
  bets: number
  runs: number
  /** Returns the seed of a run: 32 bytes in hex. */
  seedOf: (run: number) => string
}

/** How one run ended. */
interface Ran {
  balance: bigint
  bets: number
  staked: bigint
  paid: bigint
  /** The sum of the squares of its stakes. */
  squares: bigint
  longestLosses: number
  isRuined: boolean
  /** Whether the strategy asked for a stake above the limit, which ends a run as it ends automatic bets. */
  isTooHigh: boolean
}

/** The outcome of all runs. */
export interface Outcome {
  runs: number
  bets: number
  /** The exact return of each bet. */
  expected: Rational
  bankroll: bigint
  staked: bigint
  paid: bigint
  squares: bigint
  ruined: number
  tooHigh: number
  /** Runs that ended with more than they began with. */
  ahead: number
  longestLosses: number
  /** Final balances: the lowest, 5%, the median, 95% and the highest. */
  balances: { lowest: bigint; low: bigint; median: bigint; high: bigint; highest: bigint }
}

export type Step = (state: unknown, event: StrategyEvent) => Action

/** Plays all runs. Yields after each one. */
export function* simulate(step: Step, simulation: Simulation): Generator<number, Outcome> {
  const ran: Ran[] = []
  for (let run = 0; run < simulation.runs; run++) {
    ran.push(playRun(step, simulation, simulation.seedOf(run)))
    yield ran.length
  }
  return summary(ran, simulation)
}

function playRun(step: Step, simulation: Simulation, seed: string): Ran {
  const { wager, terms, base, bankroll, maxStake, bets } = simulation
  const ran: Ran = {
    balance: bankroll,
    bets: 0,
    staked: 0n,
    paid: 0n,
    squares: 0n,
    longestLosses: 0,
    isRuined: false,
    isTooHigh: false,
  }
  let state: unknown = null
  let event: StrategyEvent = { kind: 'start', base, stake: 0n, payout: 0n, net: 0n, bets: 0 }
  let losses = 0
  while (ran.bets < bets) {
    const action = step(state, event)
    if ('stop' in action) return ran
    const { stake } = action
    if (stake > maxStake) return { ...ran, isTooHigh: true }
    if (stake > ran.balance) return { ...ran, isRuined: true }
    ran.bets++
    const payout = scaleDown(stake, drawMultiplier(wager, { seed, number: ran.bets }, terms))
    ran.staked += stake
    ran.paid += payout
    ran.squares += stake * stake
    ran.balance += payout - stake
    losses = payout < stake ? losses + 1 : 0
    ran.longestLosses = Math.max(ran.longestLosses, losses)
    state = action.state ?? null
    const net = ran.balance - bankroll
    event = { kind: kindOf(stake, payout), base, stake, payout, net, bets: ran.bets }
  }
  return ran
}

function summary(ran: readonly Ran[], { wager, terms, bankroll }: Simulation): Outcome {
  const sum = (of: (each: Ran) => bigint) => ran.reduce((total, each) => total + of(each), 0n)
  const count = (is: (each: Ran) => boolean) => ran.filter(is).length
  const balances = ran
    .map(({ balance }) => balance)
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const at = (share: number) => balances[Math.floor((balances.length - 1) * share)] ?? 0n
  return {
    runs: ran.length,
    bets: ran.reduce((total, each) => total + each.bets, 0),
    expected: returnOf(wager, terms),
    bankroll,
    staked: sum(({ staked }) => staked),
    paid: sum(({ paid }) => paid),
    squares: sum(({ squares }) => squares),
    ruined: count(({ isRuined }) => isRuined),
    tooHigh: count(({ isTooHigh }) => isTooHigh),
    ahead: count(({ balance }) => balance > bankroll),
    longestLosses: Math.max(0, ...ran.map(({ longestLosses }) => longestLosses)),
    balances: { lowest: at(0), low: at(0.05), median: at(0.5), high: at(0.95), highest: at(1) },
  }
}

/** Returns the average loss of all stakes of an outcome, in smallest units, rounded down: the edge on each. */
export function expectedLoss({ staked, expected }: Outcome): bigint {
  const { numerator, denominator } = expected
  return (staked * (denominator - numerator)) / denominator
}
