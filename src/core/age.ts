/** The clocks of two objects differ by less than this, in milliseconds. */
export const OBJECT_CLOCK_SKEW_MS = 10_000

/** How far a verifier's clock may be wrong, or be corrected within a day, in milliseconds. */
export const OWN_CLOCK_SKEW_MS = 60_000

/**
 * Returns whether something is younger than `ageMs`; false if the clock has stepped back, which hides its age.
 * @param since when it began, in unix milliseconds
 */
export function isWithin(ageMs: number, since: number, now: number): boolean {
  return now >= since && now - since < ageMs
}
