import { refuse, type Refusal } from '../core/refusal.ts'

/** In characters. */
export const LONGEST_TITLE = 80
export const LONGEST_URL = 2_048

/** Top-level names that no public site has. */
const NOT_PUBLIC = /\.(local|localhost|internal|onion|arpa|lan|home|corp)$/i

/** Returns whether a text is an https URL of a public name, without user or password. */
export function isPublicHttps(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return false
  return /\.[a-z][a-z0-9-]*$/i.test(url.hostname) && !NOT_PUBLIC.test(url.hostname)
}

/** A payer's request: the advertisement and its dates. */
export interface RentalRequest {
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

/** Returns a request's canonical text, with parsed URLs; reusing its payment with another text is refused. */
export function rentalText(request: RentalRequest): string {
  const { wallet, date, hours, title, imageUrl, linkUrl } = request
  const urls = [imageUrl, linkUrl].map((url) => new URL(url).href)
  return JSON.stringify([wallet, date, hours, title, ...urls])
}

export function noSuchSlot(path: string, message: string): Refusal {
  return refuse(
    'invalid_request',
    'This slot cannot be rented. GET /api/ad-rental lists the available slots.',
    [{ path, message }],
  )
}
