import type { Prize } from './prizes.ts'

/** What a payment for the lootbox buys. */
export interface Offer {
  /** Who is paid, and pays the prize. */
  pool: string
  /** In wei. */
  price: string
  prizes: readonly Prize[]
}

/** An offer, and since when it is the service's, in unix milliseconds. */
export interface DatedOffer {
  since: number
  offer: Offer
}

/** What somebody has paid, to whom and when. */
export interface Paid {
  to: string | null
  valueWei: bigint
  /** When its block was made, in unix milliseconds. */
  paidAt: number
}

/** Whoever has read a price can still pay it so long after another has taken its place. */
export const GRACE_MS = 600_000
/** A block's time may be so far behind the time at which it is made. */
const SKEW_MS = 60_000

/**
 * The offer that a payment was made for: that of its own time. Where it does not pay that one, an
 * earlier one that had been replaced shortly before, or the next. Nobody chooses by what they come to
 * know later.
 * @param offers the oldest first
 * @returns null where there are none
 */
export function offerFor(offers: readonly DatedOffer[], paid: Paid): Offer | null {
  const { paidAt } = paid
  const current = Math.max(
    0,
    offers.findLastIndex(({ since }) => since <= paidAt),
  )
  const earlier = offers
    .slice(0, current)
    .filter((_, at) => paidAt - offers[at + 1]!.since <= GRACE_MS)
    .reverse()
  const next = offers.slice(current + 1).filter(({ since }) => since - paidAt <= SKEW_MS)
  const candidates = [...offers.slice(current, current + 1), ...earlier, ...next]
  const found = candidates.find(({ offer }) => isPaidBy(offer, paid)) ?? candidates[0]
  return found?.offer ?? null
}

function isPaidBy({ pool, price }: Offer, { to, valueWei }: Paid): boolean {
  return to?.toLowerCase() === pool.toLowerCase() && valueWei === BigInt(price)
}
