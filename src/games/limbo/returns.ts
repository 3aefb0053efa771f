import { TWO_POW_52 } from '../../fairness/seed.ts'
import type { Rational } from '../../money/rational.ts'
import type { PayTerms } from '../game.ts'
import { percent, type ReturnsTable } from '../returns.ts'
import type { LimboParams } from './rule.ts'

/** Of 2^52 numbers, floor((10000 − edge) · 2^52 / (100 · target)) reach a target given in hundredths. */
export function limboWins({ target }: LimboParams, { edgeBps }: PayTerms): bigint {
  return (BigInt(10_000 - edgeBps) * TWO_POW_52) / (100n * BigInt(target))
}

export function limboReturn(params: LimboParams, terms: PayTerms): Rational {
  const numerator = limboWins(params, terms) * BigInt(params.target)
  return { numerator, denominator: 100n * TWO_POW_52 }
}

export const SHOWN_TARGETS = [
  101, 110, 150, 200, 333, 1_000, 12_345, 100_000, 1_000_000, 10_000_000, 100_000_000,
]

export function limboReturns(terms: PayTerms): ReturnsTable {
  return {
    by: 'by target',
    note: `Each of the 2⁵² = ${TWO_POW_52} numbers is equally likely. The return is one less the edge, to within\n2⁻⁵² of the target.`,
    head: ['target', 'numbers that reach it', 'return'],
    rows: SHOWN_TARGETS.map((target) => [
      `${(target / 100).toFixed(2)}x`,
      limboWins({ target }, terms).toString(),
      percent(limboReturn({ target }, terms), 10),
    ]),
  }
}
