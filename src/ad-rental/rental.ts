import { refuse, type Refusal } from '../core/refusal.ts'

/** What a payer wants shown, and when. */
export interface RentalOrder {
  wallet: string
  /** The first UTC day, as YYYY-MM-DD. */
  date: string
  hours: number
  title: string
  imageUrl: string
  linkUrl: string
}

/** A rental of the advertising slot, as it is kept and shown. Times in unix milliseconds. */
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

/** An order as canonical text: the same payment with another text is refused. */
export function rentalText(order: RentalOrder): string {
  const { wallet, date, hours, title, imageUrl, linkUrl } = order
  return JSON.stringify([wallet, date, hours, title, imageUrl, linkUrl])
}

export function noSuchSlot(path: string, message: string): Refusal {
  return refuse('invalid_request', 'There is no such slot; see GET /api/ad-rental.', [
    { path, message },
  ])
}
