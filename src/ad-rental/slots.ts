import { DAY_MS, dateOf } from '../core/utc-day.ts'

/** How far ahead a slot can be rented, in UTC days from today on. */
export const AD_DAYS = 30

const HOURS_A_DAY = 24

/** A length of a rental and its price, in wei. */
export interface AdTier {
  days: number
  label: string
  priceWei: string
}

/** The UTC days of a rental, as YYYY-MM-DD, and its time in unix milliseconds. */
export interface Slot {
  days: string[]
  startsAt: number
  endsAt: number
}

/** The days that can be rented, from today on. */
export function openDays(now: number): string[] {
  return Array.from({ length: AD_DAYS }, (_, day) => dateOf(now + day * DAY_MS))
}

/**
 * What a rental takes: whole days from a date on. One that begins today begins now.
 * @returns null where it is not of days that can be rented
 */
export function slotFrom(date: string, days: number, now: number): Slot | null {
  const open = openDays(now)
  const first = open.indexOf(date)
  if (first < 0 || first + days > open.length) return null
  const midnight = Date.parse(`${date}T00:00:00.000Z`)
  return {
    days: open.slice(first, first + days),
    startsAt: Math.max(midnight, now),
    endsAt: midnight + days * DAY_MS,
  }
}

/** A tier as the wire shows it. */
export function shownTier({ days, label, priceWei }: AdTier) {
  return { hours: days * HOURS_A_DAY, days, label, eth: priceWei }
}

/** The tier of so many hours. */
export function tierOf(tiers: readonly AdTier[], hours: number): AdTier | null {
  return tiers.find(({ days }) => days * HOURS_A_DAY === hours) ?? null
}
