import { ONE, type Hundredths } from '../../../money/multiplier.ts'

/** How long the animation takes. */
export const FULL_MS = 900

/**
 * Returns the number shown at a moment of the run-up to a result. It grows by factors, fast at first and then
 * slower, so that large results don't jump.
 */
export function runUp(result: Hundredths, elapsedMs: number): Hundredths {
  if (elapsedMs >= FULL_MS) return result
  const left = 1 - Math.max(0, elapsedMs) / FULL_MS
  const share = 1 - left ** 3
  return Math.min(result, Math.floor(ONE * (result / ONE) ** share))
}
