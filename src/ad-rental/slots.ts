import { DAY_MS, dateOf, startOfDay } from '../core/utc-day.ts'

/** The number of UTC days, from today, that can be rented. */
export const AD_DAYS = 30

export const HOURS_A_DAY = 24

/** A length of rental and its price, in wei. */
export interface AdTier {
  days: number
  label: string
  priceWei: string
}

/** The UTC days of a rental, as YYYY-MM-DD, and its start and end in unix milliseconds. */
interface Slot {
  days: string[]
  startsAt: number
  endsAt: number
}

/** Returns the days that can be rented, from today. */
export function openDays(now: number): string[] {
  return Array.from({ length: AD_DAYS }, (_, day) => dateOf(now + day * DAY_MS))
}

/**
 * Returns the slot for a rental of whole days from a date. A rental from today starts now.
 * @returns null unless all its days can be rented
 */
export function slotFrom(date: string, days: number, now: number): Slot | null {
  const open = openDays(now)
  const first = open.indexOf(date)
  if (first < 0 || first + days > open.length) return null
  const midnight = startOfDay(date)
  return {
    days: open.slice(first, first + days),
    startsAt: Math.max(midnight, now),
    endsAt: midnight + days * DAY_MS,
  }
}

/** Converts a tier to its form on the wire. */
export function shownTier({ days, label, priceWei }: AdTier) {
  return { hours: days * HOURS_A_DAY, days, label, eth: priceWei }
}

/** Returns the tier with a length in hours, or null. */
export function tierOf(tiers: readonly AdTier[], hours: number): AdTier | null {
  return tiers.find(({ days }) => days * HOURS_A_DAY === hours) ?? null
}
