import type { Rational } from '../money/rational.ts'
import { KENO_DRAWS, KENO_NUMBERS } from './keno.ts'

/** What the games return on average: each outcome's exact probability times what it pays, summed. */

/** Returns the number of ways to choose k of n. */
export function choose(n: number, k: number): bigint {
  let ways = 1n
  for (let i = 0; i < k; i++) ways = (ways * BigInt(n - i)) / BigInt(i + 1)
  return ways
}

const sum = (terms: bigint[]) => terms.reduce((total, term) => total + term, 0n)

/**
 * The return of a plinko board: bucket k of n rows is reached on C(n, k) of 2^n paths.
 * @param pays what each bucket pays, in hundredths
 */
export function plinkoReturn(pays: readonly number[]): Rational {
  const rows = pays.length - 1
  const paid = sum(pays.map((pay, bucket) => BigInt(pay) * choose(rows, bucket)))
  return { numerator: paid, denominator: 100n * 2n ** BigInt(rows) }
}

/**
 * The return of a keno table: h of p picks are among the ten drawn in C(p, h) · C(40 − p, 10 − h) of
 * C(40, 10) draws.
 * @param pays what each number of hits pays, in hundredths
 */
export function kenoReturn(pays: readonly number[]): Rational {
  const picks = pays.length - 1
  const ways = (hits: number) =>
    choose(picks, hits) * choose(KENO_NUMBERS - picks, KENO_DRAWS - hits)
  const paid = sum(pays.map((pay, hits) => BigInt(pay) * ways(hits)))
  return { numerator: paid, denominator: 100n * choose(KENO_NUMBERS, KENO_DRAWS) }
}

/** Writes a fraction as a percentage, rounded to a number of decimals: "98.9883 %". */
export function percent({ numerator, denominator }: Rational, decimals: number): string {
  const scale = 10n ** BigInt(decimals)
  const scaled = (2n * numerator * 100n * scale + denominator) / (2n * denominator)
  const [whole, part] = [scaled / scale, scaled % scale]
  return `${whole}.${part.toString().padStart(decimals, '0')} %`
}
