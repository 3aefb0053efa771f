import { MAX_MULTIPLIER, payoutOf, type Hundredths } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'

/** The lowest and highest auto-cash-out a player may set. */
export const MIN_AUTO_CASHOUT: Hundredths = 101
export const MAX_AUTO_CASHOUT: Hundredths = MAX_MULTIPLIER

/** A player's bet request. */
export interface BetParams {
  token: Token
  amountWei: bigint
  autoCashout: Hundredths | null
}

/** A bet in its round. */
export interface Bet extends BetParams {
  betId: string
  wallet: string
  placedAt: number
  /** The multiplier of its cash-out, manual or automatic; null while live and if lost. */
  cashout: Hundredths | null
  cashedOutAt: number | null
}

/** A bet's outcome so far. `never_placed` is final: the round no longer accepts the bet. */
export type BetOutcome =
  | { kind: 'live' }
  | { kind: 'won'; multiplier: Hundredths; payoutWei: string }
  | { kind: 'lost' }
  | { kind: 'voided' }
  | { kind: 'never_placed' }

export type FinalOutcome = Exclude<BetOutcome, { kind: 'live' }>

/** An ended bet, as stored in its ledger. */
export interface EndedBet extends BetParams {
  placedAt: number
  outcome: Exclude<FinalOutcome, { kind: 'never_placed' }>
}

/**
 * Returns the multiplier of a bet's automatic cash-out: its own auto-cash-out, or the multiplier at which
 * the payout reaches `maxPayoutWei`, whichever is lower; null if neither applies.
 */
export function targetOf(
  params: Pick<BetParams, 'amountWei' | 'autoCashout'>,
  maxPayoutWei: bigint,
): Hundredths | null {
  const cap = (maxPayoutWei * 100n) / params.amountWei
  const capped = cap < BigInt(MAX_MULTIPLIER) ? Number(cap) : null
  if (params.autoCashout === null || capped === null) return params.autoCashout ?? capped
  return Math.min(params.autoCashout, capped)
}

/** Whether a round is still running, or how it ended. */
export type RoundStatus = 'live' | 'crashed' | 'voided'

/** Returns a bet's outcome, given the status of its round. */
export function outcomeOf(bet: Bet, status: RoundStatus): BetOutcome {
  if (status === 'voided') return { kind: 'voided' }
  if (bet.cashout !== null) {
    const payoutWei = payoutOf(bet.amountWei, bet.cashout).toString()
    return { kind: 'won', multiplier: bet.cashout, payoutWei }
  }
  return status === 'crashed' ? { kind: 'lost' } : { kind: 'live' }
}
