import { ONE, type Hundredths } from '../money/multiplier.ts'

/** The multiplier grows by e^(GROWTH_PER_MS · t), the curve players know from bustabit. */
export const GROWTH_PER_MS = 0.00006

/**
 * The multiplier shown `elapsedMs` (an integer ≥ 0) after take-off:
 * floor(100 · e^(0.00006 · t)) hundredths. In doubles; a test holds every millisecond of the
 * longest flight against exact arithmetic.
 */
export function multiplierAt(elapsedMs: number, growthPerMs = GROWTH_PER_MS): Hundredths {
  return Math.floor(100 * Math.exp(growthPerMs * elapsedMs))
}

/** The first millisecond after take-off that shows at least this multiplier. */
export function msToReach(multiplier: Hundredths): number {
  let elapsedMs = Math.max(0, Math.ceil(Math.log(multiplier / 100) / GROWTH_PER_MS))
  while (elapsedMs > 0 && multiplierAt(elapsedMs - 1) >= multiplier) elapsedMs--
  while (multiplierAt(elapsedMs) < multiplier) elapsedMs++
  return elapsedMs
}

/**
 * How long a flight with this crash point lasts, in milliseconds: to the first one whose
 * multiplier is above it. A crash at 1.00 never takes off.
 */
export function flightMs(crash: Hundredths): number {
  return crash === ONE ? 0 : msToReach(crash + 1)
}
