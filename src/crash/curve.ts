import { ONE, type Hundredths } from '../money/multiplier.ts'

/** The multiplier after t milliseconds is e^(GROWTH_PER_MS · t), the same curve as bustabit's. */
export const GROWTH_PER_MS = 0.00006

/**
 * Returns the multiplier shown `elapsedMs` (an integer ≥ 0) after take-off:
 * floor(100 · e^(0.00006 · t)) hundredths. Calculates in doubles; a test compares every millisecond of
 * the longest flight with exact arithmetic.
 */
export function multiplierAt(elapsedMs: number, growthPerMs = GROWTH_PER_MS): Hundredths {
  return Math.floor(100 * Math.exp(growthPerMs * elapsedMs))
}

/** Returns the first millisecond after take-off that shows at least this multiplier. */
export function msToReach(multiplier: Hundredths): number {
  let elapsedMs = Math.max(0, Math.ceil(Math.log(multiplier / 100) / GROWTH_PER_MS))
  while (elapsedMs > 0 && multiplierAt(elapsedMs - 1) >= multiplier) elapsedMs--
  while (multiplierAt(elapsedMs) < multiplier) elapsedMs++
  return elapsedMs
}

/**
 * Returns the length of a flight, in milliseconds: until the first one with a multiplier above the
 * crash point. A round that crashes at 1.00 never takes off.
 */
export function flightMs(crash: Hundredths): number {
  return crash === ONE ? 0 : msToReach(crash + 1)
}
