/**
 * A multiplier counted in hundredths: 235 is 2.35x. Every rule counts in these integers;
 * only the wire shows the decimal number.
 */
export type Hundredths = number

/** 1.00x, where every flight starts. */
export const ONE: Hundredths = 100

/** 1,000,000.00x: no round flies higher and no target lies above it. */
export const MAX_MULTIPLIER: Hundredths = 100_000_000

/** The multiplier as the wire's number: 235 → 2.35. */
export function toMultiplier(hundredths: Hundredths): number {
  return hundredths / 100
}

/** A multiplier for people: 2.00x, 1.1379x. */
export function showMultiplier(multiplier: number): string {
  return `${multiplier.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 })}x`
}

/** What a stake pays at a multiplier: rounded down once, in the smallest unit. */
export function payoutOf(amountWei: bigint, multiplier: Hundredths): bigint {
  return (amountWei * BigInt(multiplier)) / 100n
}
