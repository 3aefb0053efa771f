import { toMultiplier } from '../money/multiplier.ts'
import { perToken, type PerToken, type Token } from '../money/token.ts'
import { outcomeOf, type Bet, type RoundStatus } from './bet.ts'

/** A bet as everyone at the table sees it. Never includes its auto-cash-out, which is secret until the end. */
export interface ShownBet {
  wallet: string
  token: Token
  amountWei: string
  /** Payout divided by stake: 0 for a lost bet, 1 for a refund; null while the bet is live. */
  multiplier: number | null
  payout: string | null
}

/** The number of bets in a token and their stakes, in smallest units. */
export interface BetTotals {
  count: number
  amountWei: string
}

/** The bets of a round: their totals, and the largest of them. */
export interface TableBets {
  roundId: number
  /** Null until bets close. */
  betsRoot: string | null
  totals: PerToken<BetTotals>
  /** The largest first; a wallet's own last, if it was asked for and is not among them. */
  bets: ShownBet[]
}

/** The largest number of bets shown, besides the caller's own. */
export const SHOWN_BETS = 200

/** The largest number of new bets in one report or message. */
export const REPORTED_BETS = 50

/** Returns a bet as everyone sees it, given the status of its round. */
export function shownBet(bet: Bet, status: RoundStatus): ShownBet {
  const { wallet, token } = bet
  const amountWei = bet.amountWei.toString()
  return { wallet, token, amountWei, ...paid(bet, status) }
}

function paid(bet: Bet, status: RoundStatus): Pick<ShownBet, 'multiplier' | 'payout'> {
  const outcome = outcomeOf(bet, status)
  switch (outcome.kind) {
    case 'won':
      return { multiplier: toMultiplier(outcome.multiplier), payout: outcome.payoutWei }
    case 'lost':
      return { multiplier: 0, payout: '0' }
    case 'voided':
      return { multiplier: 1, payout: bet.amountWei.toString() }
    case 'live':
    case 'never_placed':
      return { multiplier: null, payout: null }
  }
}

/** Returns the bets of a round without any. */
export function noBets(roundId: number, betsRoot: string | null): TableBets {
  return { roundId, betsRoot, totals: perToken(() => ({ count: 0, amountWei: '0' })), bets: [] }
}

/** Compares stakes by their share of the largest stake in their token: the larger one comes first. */
export function byStake(maxWei: PerToken<bigint>) {
  type Stake = { token: Token; amountWei: bigint | string }
  return (a: Stake, b: Stake): number => {
    const difference = BigInt(b.amountWei) * maxWei[a.token] - BigInt(a.amountWei) * maxWei[b.token]
    return difference === 0n ? 0 : Number(difference > 0n) * 2 - 1
  }
}

/** Counts the bets of a round as they come, and keeps the largest in order, so that showing them is cheap. */
export class BetCount {
  readonly #order: ReturnType<typeof byStake>
  readonly #totals = perToken(() => ({ count: 0, stakedWei: 0n }))
  readonly #placed: Bet[] = []
  readonly #largest: Bet[] = []

  /** @param maxWei the largest stake in each token, to compare bets in different tokens */
  constructor(maxWei: PerToken<bigint>) {
    this.#order = byStake(maxWei)
  }

  add(bet: Bet): void {
    const totals = this.#totals[bet.token]
    totals.count++
    totals.stakedWei += bet.amountWei
    this.#placed.push(bet)
    const rank = this.#largest.findLastIndex((other) => this.#order(other, bet) <= 0) + 1
    if (rank < SHOWN_BETS) this.#largest.splice(rank, 0, bet)
    if (this.#largest.length > SHOWN_BETS) this.#largest.pop()
  }

  stakedWei(token: Token): bigint {
    return this.#totals[token].stakedWei
  }

  totals(): PerToken<BetTotals> {
    return perToken((token) => {
      const { count, stakedWei } = this.#totals[token]
      return { count, amountWei: stakedWei.toString() }
    })
  }

  /** The largest bets, largest first: by their share of their token's largest stake. */
  get largest(): readonly Bet[] {
    return this.#largest
  }

  /** Returns the newest bets after the first `since`, in the order they were placed. */
  newest(since: number): Bet[] {
    return this.#placed.slice(Math.max(since, this.#placed.length - REPORTED_BETS))
  }
}
