/** An exact fraction, not necessarily in lowest terms, with a positive denominator. */
export interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The basis points of a whole. */
export const ALL_BPS = 10_000

export const ZERO: Rational = { numerator: 0n, denominator: 1n }

/** Converts a number of hundredths to a fraction. */
export function ofHundredths(hundredths: number): Rational {
  return { numerator: BigInt(hundredths), denominator: 100n }
}

/** Returns amount · fraction, rounded down once. Neither may be negative. */
export function scaleDown(amount: bigint, { numerator, denominator }: Rational): bigint {
  return (amount * numerator) / denominator
}

/** Returns the largest amount that {@link scaleDown} keeps within `limit`, or null if every amount does. */
export function largestWithin(limit: bigint, { numerator, denominator }: Rational): bigint | null {
  return numerator === 0n ? null : ((limit + 1n) * denominator - 1n) / numerator
}

/** Converts a fraction to a number for display, rounded down to `decimals` decimal places. */
export function showDown({ numerator, denominator }: Rational, decimals: number): number {
  return Number((numerator * 10n ** BigInt(decimals)) / denominator) / 10 ** decimals
}
