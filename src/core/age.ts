/**
 * Returns whether something is younger than `ageMs`; false if the clock has stepped back, which hides its age.
 * @param since when it began, in unix milliseconds
 */
export function isWithin(ageMs: number, since: number, now: number): boolean {
  return now >= since && now - since < ageMs
}
