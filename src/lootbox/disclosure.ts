import { endOfDay } from '../core/utc-day.ts'

/** A block dated within the day may arrive late. The seed is disclosed after this delay. */
const DISCLOSED_AFTER_MS = 600_000

/** Returns when the seed of a UTC day (YYYY-MM-DD) is disclosed, in unix milliseconds. */
export function disclosedAt(day: string): number {
  return endOfDay(day) + DISCLOSED_AFTER_MS
}
