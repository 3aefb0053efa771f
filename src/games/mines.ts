import type { Rational } from '../money/rational.ts'
import { ZERO } from '../money/rational.ts'
import type { Outcome } from './outcome.ts'
import { drawDistinct, type RandomStream } from './stream.ts'

export const TILES = 25

/** How many mines, and which tiles are picked: distinct, and together at most all tiles. */
export interface MinesParams {
  mines: number
  picked: number[]
}

export interface MinesMeta {
  /** Where the mines are, in draw order. */
  mines: number[]
  picked: number[]
}

/** Wins if no picked tile is a mine. */
export function playMines(
  params: MinesParams,
  stream: RandomStream,
  edgeBps: number,
): Outcome<MinesMeta> {
  const mines = drawDistinct(stream, TILES, params.mines)
  const isSafe = params.picked.every((tile) => !mines.includes(tile))
  const { picked } = params
  return { multiplier: isSafe ? minesMultiplier(params, edgeBps) : ZERO, meta: { mines, picked } }
}

/** (1 − edge) · C(25, k) / C(25 − m, k): the edge off the inverse of the chance to win, exactly. */
export function minesMultiplier({ mines, picked }: MinesParams, edgeBps: number): Rational {
  let numerator = BigInt(10_000 - edgeBps)
  let denominator = 10_000n
  for (let pick = 0; pick < picked.length; pick++) {
    numerator *= BigInt(TILES - pick)
    denominator *= BigInt(TILES - mines - pick)
  }
  return { numerator, denominator }
}
