import { refuse } from '../core/refusal.ts'
import type { PrizeTier } from './prizes.ts'

/** A lootbox offer: the price, and the prizes it buys a chance of. */
export interface Offer {
  /** The address that receives the payment and pays the prize. */
  pool: string
  /** In wei. */
  price: string
  prizes: readonly PrizeTier[]
}

/** Represents no offer: no payment can go to its empty pool. */
export const NO_OFFER: Offer = { pool: '', price: '0', prizes: [] }

/** An offer and its start, in unix milliseconds. */
export interface DatedOffer {
  since: number
  offer: Offer
}

/** A payment's recipient, amount and time. */
export interface ReceivedPayment {
  to: string | null
  valueWei: bigint
  /** The block's time, in unix milliseconds. */
  paidAt: number
}

/** How long a replaced price can still be paid. */
export const GRACE_MS = 600_000
/** How far a block's timestamp may be behind its actual time. */
const BLOCK_BEHIND_SKEW_MS = 60_000

/**
 * Returns the offer for a payment: the offer at the payment's own time or, if the payment doesn't match
 * it, a recently replaced or the next one that it does match. Nobody can choose an offer with hindsight.
 * @param offers oldest first
 * @returns null without offers
 */
export function offerFor(offers: readonly DatedOffer[], paid: ReceivedPayment): Offer | null {
  const { paidAt } = paid
  const current = Math.max(
    0,
    offers.findLastIndex(({ since }) => since <= paidAt),
  )
  const earlier = offers
    .slice(0, current)
    .filter((_, at) => paidAt - offers[at + 1]!.since <= GRACE_MS)
    .reverse()
  const next = offers
    .slice(current + 1)
    .filter(({ since }) => since - paidAt <= BLOCK_BEHIND_SKEW_MS)
  const candidates = [...offers.slice(current, current + 1), ...earlier, ...next]
  const found = candidates.find(({ offer }) => isPaidBy(offer, paid)) ?? candidates[0]
  return found?.offer ?? null
}

/** Returns whether a payment pays an offer's price to its pool. */
export function isPaidBy({ pool, price }: Offer, { to, valueWei }: ReceivedPayment): boolean {
  return to?.toLowerCase() === pool.toLowerCase() && valueWei === BigInt(price)
}

export const NO_LOOTBOX = refuse('not_configured', 'The lootbox is not configured on this site.')
