import type { Token } from '../money/token.ts'
import { MAX_MULTIPLIER, payoutOf, type Hundredths } from '../money/multiplier.ts'

/** The lowest and highest auto-cash-out a player may set. */
export const MIN_AUTO_CASHOUT: Hundredths = 101
export const MAX_AUTO_CASHOUT: Hundredths = MAX_MULTIPLIER

/** What a player asked for. */
export interface BetOrder {
  token: Token
  amountWei: bigint
  autoCashout: Hundredths | null
}

/** A bet as its round holds it. */
export interface Bet extends BetOrder {
  betId: string
  wallet: string
  placedAt: number
  /** The multiplier it was cashed out at, by whatever reason; null while live, and for ever if lost. */
  cashout: Hundredths | null
  cashedOutAt: number | null
}

/** How a bet ended, or that it has not. `never_placed` is final: the round will not take it any more. */
export type BetOutcome =
  | { kind: 'live' }
  | { kind: 'won'; multiplier: Hundredths; payoutWei: string }
  | { kind: 'lost' }
  | { kind: 'voided' }
  | { kind: 'never_placed' }

/** How a bet ended, for good. */
export type FinalOutcome = Exclude<BetOutcome, { kind: 'live' }>

/** A bet that was placed and has ended, as its ledger keeps it. */
export interface EndedBet extends BetOrder {
  placedAt: number
  outcome: Exclude<FinalOutcome, { kind: 'never_placed' }>
}

/**
 * The multiplier at which a bet is cashed out without anybody asking: its auto-cash-out, or
 * where its payout would pass `maxPayoutWei`, whichever comes first. Null where neither does.
 */
export function targetOf(order: BetOrder, maxPayoutWei: bigint): Hundredths | null {
  const cap = (maxPayoutWei * 100n) / order.amountWei
  const capped = cap < BigInt(MAX_MULTIPLIER) ? Number(cap) : null
  if (order.autoCashout === null || capped === null) return order.autoCashout ?? capped
  return Math.min(order.autoCashout, capped)
}

/** The outcome of a bet in a round that has crashed, or of one already cashed out. */
export function outcomeOf(bet: Bet, round: 'live' | 'crashed' | 'voided'): BetOutcome {
  if (round === 'voided') return { kind: 'voided' }
  if (bet.cashout !== null) {
    const payoutWei = payoutOf(bet.amountWei, bet.cashout).toString()
    return { kind: 'won', multiplier: bet.cashout, payoutWei }
  }
  return round === 'crashed' ? { kind: 'lost' } : { kind: 'live' }
}
