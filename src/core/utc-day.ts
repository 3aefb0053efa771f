/** Lengths of time, in milliseconds. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/**
 * How long after midnight a day is counted and exported, in milliseconds: the rounds, positions and plays of its last
 * minutes have reached D1 by then, and the lootbox has disclosed the day's seed.
 */
export const DAY_SETTLES_MS = 900_000

/** Returns the UTC day of a time in unix milliseconds, as YYYY-MM-DD. */
export function dateOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}

/** Returns when a day, as YYYY-MM-DD, begins in UTC, in unix milliseconds. */
export function startOfDay(day: string): number {
  return Date.parse(day)
}

/** Returns when a day, as YYYY-MM-DD, ends in UTC, in unix milliseconds. */
export function endOfDay(day: string): number {
  return startOfDay(day) + DAY_MS
}

/** Returns the day after a day, both as YYYY-MM-DD. */
export function dayAfter(day: string): string {
  return dateOf(endOfDay(day))
}

/** Returns the UTC day of a time in unix milliseconds, as days since 1970-01-01. */
export function dayAt(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS)
}

/** Formats unix milliseconds as ISO 8601 in UTC, or as the plain number if out of a date's range. */
export function isoTime(unixMs: number): string {
  const date = new Date(unixMs)
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString()
}
