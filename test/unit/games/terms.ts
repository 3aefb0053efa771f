/** The payment terms in these tests. */
export const TERMS = { edgeBps: 100, tables: 1 }

/** Whether a return is at the tables' audited level of about 99 %. */
export function isAudited({ numerator, denominator }: { numerator: bigint; denominator: bigint }) {
  return numerator * 10_000n >= 9_850n * denominator && numerator * 10_000n <= 9_920n * denominator
}
