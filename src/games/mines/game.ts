import type { GameSpec } from '../game.ts'
import { minesReturn, minesReturns } from './returns.ts'
import {
  META,
  minesMultiplier,
  PARAMS,
  playMines,
  problemOf,
  type MinesMeta,
  type MinesParams,
} from './rule.ts'
import { proof, sketch, words } from './words.ts'

export const mines: GameSpec<MinesParams, MinesMeta> = {
  rule: 'Pick tiles. Avoid the mines. More tiles or more mines pay more.',
  params: PARAMS,
  problem: problemOf,
  example: { mines: 3, pick: 3 },
  meta: META,
  play: playMines,
  best: minesMultiplier,
  chosen: ({ mines: { length }, picked }) => ({ mines: length, picked }),
  returns: minesReturn,
  returnsTable: minesReturns,
  words,
  proof,
  sketch,
}
