import type { Rational } from '../money/rational.ts'

/** A game's section of reference/returns.md. */
export interface ReturnsTable {
  /** The end of the heading: "by rows and risk". */
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
 * Returns the expected payout of a pay table as a share of the stake.
 * @param pays the payout of each outcome, in hundredths
 * @param ways returns the number of draws that lead to an outcome
 * @param all the number of all draws, which are equally likely
 */
export function tableReturn(
  pays: readonly number[],
  ways: (outcome: number) => bigint,
  all: bigint,
): Rational {
  const paid = pays.reduce((total, pay, outcome) => total + BigInt(pay) * ways(outcome), 0n)
  return { numerator: paid, denominator: 100n * all }
}

/** Writes a fraction as a percentage, rounded to a number of decimals: "98.9883%". */
export function percent({ numerator, denominator }: Rational, decimals: number): string {
  const scale = 10n ** BigInt(decimals)
  const scaled = (2n * numerator * 100n * scale + denominator) / (2n * denominator)
  const [whole, part] = [scaled / scale, scaled % scale]
  return `${whole}.${part.toString().padStart(decimals, '0')}%`
}
