import type { Rational } from '../../money/rational.ts'
import type { PayTerms } from '../game.ts'
import { choose, percent, type ReturnsTable } from '../returns.ts'
import { minesMultiplier, TILES, type MinesParams } from './rule.ts'

/** With m mines, k picks are safe in C(25 − m, k) of C(25, k) boards, if all boards are equally likely. */
export function minesReturn(params: MinesParams, terms: PayTerms): Rational {
  const { numerator, denominator } = minesMultiplier(params, terms)
  const picks = params.picked.length
  return {
    numerator: numerator * choose(TILES - params.mines, picks),
    denominator: denominator * choose(TILES, picks),
  }
}

export function minesReturns(terms: PayTerms): ReturnsTable {
  const counts = Array.from({ length: TILES - 1 }, (_, index) => index + 1)
  const cell = (mines: number, picks: number) => {
    if (mines + picks > TILES) return ''
    const picked = Array.from({ length: picks }, (_, tile) => tile)
    return percent(minesReturn({ mines, picked }, terms), 0).replace('.0%', '')
  }
  return {
    by: 'by mines (down) and picks (across), in percent',
    note: 'The multiplier is the inverse of the chance, less the edge. A chance is exact to within 3·10⁻⁸ of it,\nbecause tiles are drawn by floats of 32 bits. A payout is rounded down to a whole smallest unit.',
    head: ['', ...counts.map(String)],
    rows: counts.map((mines) => [String(mines), ...counts.map((picks) => cell(mines, picks))]),
  }
}
