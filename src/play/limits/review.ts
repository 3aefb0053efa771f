import { DAY_MS } from '../../core/utc-day.ts'
import { readKept, writeKept } from '../storage.ts'
import { Store } from '../store.ts'
import type { Protection } from './words.ts'

/** This browser's memory of a player's reviews of their account. */
export interface Review {
  /** When the last one was, in unix milliseconds. */
  at: number
  /** After how long the player is reminded of the next. */
  everyDays: number
  /** Whether the player has decided about a limit before a deposit. */
  hasDecided: boolean
}

/** How often a player can be reminded, in days. The UK's RTS 12E asks for at least every six months. */
export const REVIEW_OPTIONS = {
  'Every month': '30',
  'Every 3 months': '90',
  'Every 6 months': '180',
}

const LONGEST_DAYS = 180

const KEY = 'fairhouse.reviews'
/** The number of wallets that are remembered. */
const KEEP = 20

export const reviews = new Store<[wallet: string, review: Review][]>(readKept(KEY) ?? [])

export function reviewOf(wallet: string): Review | null {
  return reviews.value.find(([name]) => name === wallet)?.[1] ?? null
}

export function keepReview(wallet: string, review: Review): void {
  const others = reviews.value.filter(([name]) => name !== wallet)
  reviews.set([...others, [wallet, review] as [string, Review]].slice(-KEEP))
  writeKept(KEY, reviews.value)
}

/** Returns the review to begin with in a browser: the last change of a limit, or now without limits. */
export function firstReview({ limits }: Pick<Protection, 'limits'>, now: number): Review {
  const at = limits.length === 0 ? now : Math.max(...limits.map(({ from }) => from))
  return { at, everyDays: LONGEST_DAYS, hasDecided: false }
}

export function isDue({ at, everyDays }: Review, now: number): boolean {
  return now - at >= everyDays * DAY_MS
}

/** Whether a player should decide about a limit before they deposit. */
export function mustDecide({ limits }: Pick<Protection, 'limits'>, review: Review): boolean {
  return limits.length === 0 && !review.hasDecided
}
