import { ofHundredths } from '../../money/rational.ts'
import type { GameSpec } from '../game.ts'
import { limboReturn, limboReturns } from './returns.ts'
import { META, PARAMS, playLimbo, type LimboMeta, type LimboParams } from './rule.ts'
import { proof, sketch, words } from './words.ts'

export const limbo: GameSpec<LimboParams, LimboMeta> = {
  rule: 'Choose a target. If the result reaches it, you win that many times your bet.',
  params: PARAMS,
  example: { target: 2 },
  meta: META,
  play: playLimbo,
  best: ({ target }) => ofHundredths(target),
  chosen: ({ target }) => ({ target: Math.round(target * 100) }),
  returns: limboReturn,
  returnsTable: limboReturns,
  words,
  proof,
  sketch,
}
