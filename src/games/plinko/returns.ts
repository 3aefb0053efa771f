import type { Rational } from '../../money/rational.ts'
import type { PayTerms } from '../game.ts'
import { choose, percent, tableReturn, type ReturnsTable } from '../returns.ts'
import { MAX_ROWS, MIN_ROWS, plinkoTable, type PlinkoParams } from './rule.ts'
import { RISKS } from './tables.ts'

/** Bucket k of n rows is reached on C(n, k) of 2^n paths. */
export function plinkoReturn(params: PlinkoParams, terms: PayTerms): Rational {
  const { rows } = params
  const ways = (bucket: number) => choose(rows, bucket)
  return tableReturn(plinkoTable(params, terms), ways, 2n ** BigInt(rows))
}

export function plinkoReturns(terms: PayTerms): ReturnsTable {
  const boards = Array.from({ length: MAX_ROWS - MIN_ROWS + 1 }, (_, index) => MIN_ROWS + index)
  return {
    by: 'by rows and risk',
    head: ['rows', ...RISKS],
    rows: boards.map((rows) => [
      String(rows),
      ...RISKS.map((risk) => percent(plinkoReturn({ risk, rows }, terms), 4)),
    ]),
  }
}
