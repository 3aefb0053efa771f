import type { Rational } from '../../money/rational.ts'
import type { PayTerms } from '../game.ts'
import { choose, percent, tableReturn, type ReturnsTable } from '../returns.ts'
import { KENO_DRAWS, KENO_NUMBERS, kenoTable, MAX_PICKS, type KenoParams } from './rule.ts'
import { KENO_RISKS } from './tables.ts'

/** h of p picks are among the ten drawn in C(p, h) · C(40 − p, 10 − h) of C(40, 10) draws. */
export function kenoReturn(params: KenoParams, terms: PayTerms): Rational {
  const { length } = params.picks
  const ways = (hits: number) =>
    choose(length, hits) * choose(KENO_NUMBERS - length, KENO_DRAWS - hits)
  return tableReturn(kenoTable(params, terms), ways, choose(KENO_NUMBERS, KENO_DRAWS))
}

export function kenoReturns(terms: PayTerms): ReturnsTable {
  const all = Array.from({ length: MAX_PICKS }, (_, index) => index + 1)
  return {
    by: 'by picks and risk',
    head: ['picks', ...KENO_RISKS],
    rows: all.map((count) => [
      String(count),
      ...KENO_RISKS.map((risk) =>
        percent(kenoReturn({ picks: all.slice(0, count), risk }, terms), 4),
      ),
    ]),
  }
}
