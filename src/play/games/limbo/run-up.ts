import { ONE, type Hundredths } from '../../../money/multiplier.ts'

/** How long a number runs. */
export const FULL_MS = 900

/**
 * Where a number on its way up to a result is after so many milliseconds: fast at first, then
 * slower, growing by factors, so that large results do not jump.
 */
export function runUp(result: Hundredths, elapsedMs: number): Hundredths {
  if (elapsedMs >= FULL_MS) return result
  const left = 1 - Math.max(0, elapsedMs) / FULL_MS
  const share = 1 - left ** 3
  return Math.min(result, Math.floor(ONE * (result / ONE) ** share))
}
