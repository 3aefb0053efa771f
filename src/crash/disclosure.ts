import { invariant } from '../core/invariant.ts'
import { toMultiplier } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'
import type { EndedBet } from './bet.ts'
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

export function disclose(results: RoundResult[]): Disclosure {
  return {
    ok: true,
    rounds: results.filter((result) => result.kind === 'settled').map(discloseRound),
    voided: results.filter((result) => result.kind === 'voided').map(discloseVoid),
  }
}
