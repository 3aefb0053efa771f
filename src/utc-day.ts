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
