/** An exact fraction, not necessarily in lowest terms. The denominator is above zero. */
export interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

export const ZERO: Rational = { numerator: 0n, denominator: 1n }

/** A number counted in hundredths, as a fraction. */
export function ofHundredths(hundredths: number): Rational {
  return { numerator: BigInt(hundredths), denominator: 100n }
}

/** amount · fraction, rounded down once. Both are zero or more. */
export function scaleDown(amount: bigint, { numerator, denominator }: Rational): bigint {
  return (amount * numerator) / denominator
}

/** The largest amount that {@link scaleDown} takes no further than `limit`; null where none is too large. */
export function largestWithin(limit: bigint, { numerator, denominator }: Rational): bigint | null {
  return numerator === 0n ? null : ((limit + 1n) * denominator - 1n) / numerator
}

/** The fraction as a number to show, rounded down to so many decimals. */
export function showDown({ numerator, denominator }: Rational, decimals: number): number {
  return Number((numerator * 10n ** BigInt(decimals)) / denominator) / 10 ** decimals
}
