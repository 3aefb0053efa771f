/**
 * A multiplier counted in hundredths: 235 is 2.35x. Every rule counts in these integers;
 * only the wire shows the decimal number.
 */
export type Hundredths = number

/** The multiplier grows by e^(GROWTH_PER_MS · t), the curve players know from bustabit. */
export const GROWTH_PER_MS = 0.00006

/** 1.00x, where every flight starts. */
export const ONE: Hundredths = 100

/** 1,000,000.00x: no round flies higher and no target lies above it. */
export const MAX_MULTIPLIER: Hundredths = 100_000_000

/**
 * The multiplier shown `elapsedMs` (an integer ≥ 0) after take-off:
 * floor(100 · e^(0.00006 · t)) hundredths. In doubles; a test holds every millisecond of the
 * longest flight against exact arithmetic.
 */
export function multiplierAt(elapsedMs: number): Hundredths {
  return Math.floor(100 * Math.exp(GROWTH_PER_MS * elapsedMs))
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

/** The multiplier as the wire's number: 235 → 2.35. */
export function toMultiplier(hundredths: Hundredths): number {
  return hundredths / 100
}

/** What a stake pays at a multiplier: rounded down once, in the smallest unit. */
export function payoutOf(amountWei: bigint, multiplier: Hundredths): bigint {
  return (amountWei * BigInt(multiplier)) / 100n
}
