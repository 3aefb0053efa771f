/** The length of a UTC day. */
export const DAY_MS = 86_400_000

/** The UTC day of a moment in unix milliseconds, as YYYY-MM-DD. */
export function dateOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10)
}

/** The UTC day of a moment in unix milliseconds, counted from 1970. */
export function dayAt(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS)
}

/** A moment in unix milliseconds as ISO 8601 in UTC; the number itself where no calendar has it. */
export function isoTime(unixMs: number): string {
  const date = new Date(unixMs)
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString()
}
