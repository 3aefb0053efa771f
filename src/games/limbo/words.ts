import type { Step } from '../../fairness/check.ts'
import { showMultiplier } from '../../money/multiplier.ts'
import type { DrawnPlay, GameSpec } from '../game.ts'
import type { Line } from '../sketch.ts'
import { RandomStream } from '../stream.ts'
import type { LimboMeta, LimboParams } from './rule.ts'

export const words: GameSpec<LimboParams, LimboMeta>['words'] = {
  choice: ({ target }) => `Target ${showMultiplier(target)}`,
  result: ({ result, target }) =>
    `Rolled ${showMultiplier(result)}, target ${showMultiplier(target)}`,
  draw: ({ result }) => `limbo ${result.toFixed(2)}x`,
}

export function proof(play: DrawnPlay<LimboMeta>): Step[] {
  return [
    { name: 'Its first 52 bits, r', value: String(new RandomStream(play).first52Bits()) },
    {
      name: `max(1, ⌊(10000 − ${play.edgeBps}) · 2⁵² / (r + 1) / 100⌋ / 100)`,
      value: `${play.meta.result.toFixed(2)}x`,
    },
  ]
}

export function sketch({ result, target }: LimboMeta): Line[] {
  const reached = result >= target ? 'reaches' : 'stays below'
  return [[`${result.toFixed(2)}x ${reached} your ${target.toFixed(2)}x`]]
}
