import type { Step } from '../../fairness/check.ts'
import type { DrawnPlay, GameSpec } from '../game.ts'
import { floatStep, tableStep } from '../proof.ts'
import type { Line, Piece } from '../sketch.ts'
import { plinkoTable, type PlinkoMeta, type PlinkoParams } from './rule.ts'

export const words: GameSpec<PlinkoParams, PlinkoMeta>['words'] = {
  choice: ({ rows, risk }) => `${rows} rows, ${risk} risk`,
  result: ({ bucket, rows }) => `Bucket ${bucket} (0 to ${rows})`,
  draw: ({ path, bucket }) => `the path ${path} into bucket ${bucket}`,
}

export function proof(play: DrawnPlay<PlinkoMeta>): Step[] {
  const { rows, path, bucket } = play.meta
  return [
    floatStep(play, rows),
    { name: 'Right from 0.5 up, else left', value: `${path}, bucket ${bucket}` },
    tableStep(play.tables, plinkoTable(play.meta, play)[bucket]),
  ]
}

export function sketch({ path, bucket, rows }: PlinkoMeta): Line[] {
  const buckets = Array.from({ length: rows + 1 }, (_, index): Piece => {
    return index === bucket ? { tone: 'strong', text: '●' } : '·'
  })
  return [path.split(''), [...buckets, ` bucket ${bucket}`]]
}
