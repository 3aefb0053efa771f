import { refuse, type Refusal } from '../core/refusal.ts'

/** A payer's order: the advertisement and its dates. */
export interface RentalOrder {
  wallet: string
  /** The first UTC day, as YYYY-MM-DD. */
  date: string
  hours: number
  title: string
  imageUrl: string
  linkUrl: string
}

/** A rental of the advertising slot, as stored and shown. Times are in unix milliseconds. */
export interface Rental {
  id: string
  wallet: string
  startsAt: number
  endsAt: number
  label: string
  title: string
  imageUrl: string
  linkUrl: string
}

/** Returns an order's canonical text; reusing its payment with another text is refused. */
export function rentalText(order: RentalOrder): string {
  const { wallet, date, hours, title, imageUrl, linkUrl } = order
  return JSON.stringify([wallet, date, hours, title, imageUrl, linkUrl])
}

export function noSuchSlot(path: string, message: string): Refusal {
  return refuse(
    'invalid_request',
    'This slot cannot be rented. GET /api/ad-rental lists the available slots.',
    [{ path, message }],
  )
}
