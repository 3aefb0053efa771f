import type { Rational } from '../money/rational.ts'

/** What a game returns on average, as reference/returns.md shows it. */
export interface ReturnsTable {
  /** "by rows and risk" */
  by: string
  note?: string
  head: string[]
  rows: string[][]
}

/** Returns the number of ways to choose k of n. */
export function choose(n: number, k: number): bigint {
  let ways = 1n
  for (let i = 0; i < k; i++) ways = (ways * BigInt(n - i)) / BigInt(i + 1)
  return ways
}

/**
 * Sums what a table pays, each outcome as often as it is drawn.
 * @param pays what each outcome pays, in hundredths
 * @param ways in how many of all equally likely draws it comes out
 */
export function tableReturn(
  pays: readonly number[],
  ways: (outcome: number) => bigint,
  all: bigint,
): Rational {
  const paid = pays.reduce((total, pay, outcome) => total + BigInt(pay) * ways(outcome), 0n)
  return { numerator: paid, denominator: 100n * all }
}

/** Writes a fraction as a percentage, rounded to a number of decimals: "98.9883 %". */
export function percent({ numerator, denominator }: Rational, decimals: number): string {
  const scale = 10n ** BigInt(decimals)
  const scaled = (2n * numerator * 100n * scale + denominator) / (2n * denominator)
  const [whole, part] = [scaled / scale, scaled % scale]
  return `${whole}.${part.toString().padStart(decimals, '0')} %`
}
