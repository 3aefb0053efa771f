import { invariant } from '../core/invariant.ts'
import { type Mac, macOf } from '../fairness/seed.ts'
import { toMultiplier } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'
import { outcomeOf, type Bet, type EndedBet } from './bet.ts'
import { betLeaf, type BetLeaf, type FixedBets } from './bets-root.ts'
import type { RoundPlan } from './plan.ts'
import type { RoundResult, SettledRound, VoidedRound } from './result.ts'

/** The disclosed facts of every ended round. */
type Disclosed = Pick<
  RoundResult,
  'roundId' | 'seedHash' | 'seed' | 'pepperSource' | 'openedAt' | 'betsCloseAt'
>

/** A settled round's disclosure, sufficient to recompute its crash point. */
export interface DisclosedRound extends Disclosed {
  pepper: string
  crash: number
  edgeBps: number
  signature?: string
}

/** A voided round's disclosure. With a beacon anyone can compute its would-be crash point. */
export interface DisclosedVoid extends Disclosed {
  reason: string
}

/** The body of verify-seeds, newest round first. */
export interface Disclosure {
  ok: true
  rounds: DisclosedRound[]
  voided: DisclosedVoid[]
}

function discloseRound(round: SettledRound): DisclosedRound {
  const { pepper, edgeBps, signature } = round
  const crash = toMultiplier(round.crash)
  const disclosed = { ...discloseEnded(round), pepper, crash, edgeBps }
  return signature === null ? disclosed : { ...disclosed, signature }
}

function discloseVoid(round: VoidedRound): DisclosedVoid {
  return { ...discloseEnded(round), reason: round.reason }
}

function discloseEnded(round: RoundResult): Disclosed {
  const { roundId, seedHash, seed, pepperSource, openedAt, betsCloseAt } = round
  return { roundId, seedHash, seed, pepperSource, openedAt, betsCloseAt }
}

/** An ended bet's disclosure: the bet, its outcome and its round. */
export type DisclosedBet = {
  ok: true
  wallet: string
  token: Token
  amountWei: string
  autoCashout: number | null
  placedAt: number
  /** Payout divided by stake: 0 for a lost bet, 1 for a refund. */
  multiplier: number
  payout: string
} & (({ outcome: 'won' | 'lost' } & DisclosedRound) | ({ outcome: 'voided' } & DisclosedVoid))

export function discloseBet(wallet: string, bet: EndedBet, round: RoundResult): DisclosedBet {
  const { token, placedAt, outcome } = bet
  const amountWei = bet.amountWei.toString()
  const autoCashout = bet.autoCashout === null ? null : toMultiplier(bet.autoCashout)
  const placed = { ok: true as const, wallet, token, amountWei, autoCashout, placedAt }
  if (round.kind === 'voided') {
    invariant(outcome.kind === 'voided', 'a voided round refunds every bet')
    const refund = { outcome: outcome.kind, multiplier: 1, payout: amountWei }
    return { ...placed, ...refund, ...discloseVoid(round) }
  }
  invariant(outcome.kind !== 'voided', 'a settled round refunds no bet')
  const { multiplier, payoutWei } =
    outcome.kind === 'won' ? outcome : { multiplier: 0, payoutWei: '0' }
  const paid = { outcome: outcome.kind, multiplier: toMultiplier(multiplier), payout: payoutWei }
  return { ...placed, ...paid, ...discloseRound(round) }
}

/** An ended bet as the root covers it, with how it ended. */
export interface EndedLeaf extends BetLeaf {
  placedAt: number
  outcome: 'won' | 'lost' | 'voided'
  /** Payout divided by stake: 0 for a lost bet, 1 for a refund. */
  multiplier: number
  payout: string
  /** Null unless the bet won. */
  cashedOutAt: number | null
}

/** Everything about an ended round, with a page of its bets. */
export interface WholeRound extends FixedBets {
  ok: true
  roundId: number
  /** Null without a public log for a round without bets, which erases itself. */
  plan: RoundPlan | null
  openedAt: number
  betsCloseAt: number
  endedAt: number
  edgeBps: number
  seedHash: string
  seed: string
  pepperSource: RoundResult['pepperSource']
  /** Null for a voided round, like the next two. */
  pepper: string | null
  crash: number | null
  takeoffAt: number | null
  /** Null without a beacon. */
  signature: string | null
  /** Why the round was voided; null for a settled round. */
  reason: string | null
  bets: EndedLeaf[]
  /** The position where the next page begins; null on the last page. */
  next: number | null
}

/** Returns how a whole round ended: settled if it has a crash point, else voided. */
export function endOf(whole: WholeRound): DisclosedRound | DisclosedVoid {
  const { crash, pepper, signature, reason, ...round } = whole
  if (crash === null) return { ...round, reason: reason ?? '' }
  return { ...round, crash, pepper: pepper ?? '', ...(signature !== null && { signature }) }
}

/** The largest number of bets in a page. */
const BETS_PAGE = 1_000

/**
 * Returns the whole of an ended round with a page of its bets.
 * @param bets all of them, by position
 * @param from the position at which the page begins
 */
export function discloseWhole(
  result: RoundResult,
  { plan, betsRoot }: Pick<WholeRound, 'plan' | 'betsRoot'>,
  bets: readonly Bet[],
  from: number,
): WholeRound {
  const { openedAt, betsCloseAt, endedAt, edgeBps, seedHash, seed, pepperSource } = result
  const { roundId, betCount } = result
  const isSettled = result.kind === 'settled'
  const page = bets.slice(from, from + BETS_PAGE)
  const mac = macOf(seed)
  return {
    ok: true,
    roundId,
    plan,
    openedAt,
    betsCloseAt,
    endedAt,
    edgeBps,
    seedHash,
    seed,
    pepperSource,
    betsRoot,
    betCount,
    pepper: isSettled ? result.pepper : null,
    crash: isSettled ? toMultiplier(result.crash) : null,
    takeoffAt: isSettled ? result.takeoffAt : null,
    signature: isSettled ? result.signature : null,
    reason: isSettled ? null : result.reason,
    bets: page.map((bet, index) => endedLeaf(bet, from + index, result.kind, mac)),
    next: from + page.length < bets.length ? from + page.length : null,
  }
}

function endedLeaf(bet: Bet, n: number, kind: RoundResult['kind'], mac: Mac): EndedLeaf {
  const leaf = betLeaf(bet, n, mac)
  const outcome = outcomeOf(bet, kind === 'settled' ? 'crashed' : 'voided')
  invariant(outcome.kind !== 'live' && outcome.kind !== 'never_placed', 'an ended bet has ended')
  const { placedAt, cashedOutAt } = bet
  const ended = { ...leaf, placedAt, outcome: outcome.kind, cashedOutAt: null }
  if (outcome.kind === 'voided') return { ...ended, multiplier: 1, payout: leaf.amountWei }
  if (outcome.kind === 'lost') return { ...ended, multiplier: 0, payout: '0' }
  const multiplier = toMultiplier(outcome.multiplier)
  return { ...ended, multiplier, payout: outcome.payoutWei, cashedOutAt }
}

export function disclose(results: RoundResult[]): Disclosure {
  return {
    ok: true,
    rounds: results.filter((result) => result.kind === 'settled').map(discloseRound),
    voided: results.filter((result) => result.kind === 'voided').map(discloseVoid),
  }
}
