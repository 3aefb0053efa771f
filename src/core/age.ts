/**
 * Returns whether something is younger than `ageMs`. If the clock has stepped back, its age is unknown: then it isn't.
 * @param since when it began, in unix milliseconds
 */
export function isWithin(ageMs: number, since: number, now: number): boolean {
  return now >= since && now - since < ageMs
}
