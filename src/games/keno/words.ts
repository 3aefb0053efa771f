import type { Step } from '../../fairness/check.ts'
import type { DrawnPlay, GameSpec } from '../game.ts'
import { drawnStep, floatStep, tableStep } from '../proof.ts'
import { rows, type Line, type Piece } from '../sketch.ts'
import { KENO_NUMBERS, kenoTable, type KenoMeta, type KenoParams } from './rule.ts'

export const words: GameSpec<KenoParams, KenoMeta>['words'] = {
  choice: ({ picks, risk }) => `Numbers ${picks.join(', ')}, ${risk} risk`,
  result: ({ hits, picks }) => `${hits} of ${picks.length} picks hit`,
  draw: ({ draws, hits }) => `the draws ${draws.join(' ')}, ${hits} of them picked`,
}

export function proof(play: DrawnPlay<KenoMeta>): Step[] {
  const { draws, hits } = play.meta
  return [
    floatStep(play, draws.length),
    drawnStep(draws, `${KENO_NUMBERS} numbers`),
    tableStep(play.tables, kenoTable(play.meta, play)[hits]),
  ]
}

const WIDTH = 10

export function sketch(meta: KenoMeta): Line[] {
  const cells = Array.from({ length: KENO_NUMBERS }, (_, index): Piece => {
    const number = index + 1
    const text = String(number).padStart(2)
    const [isPicked, isDrawn] = [meta.picks.includes(number), meta.draws.includes(number)]
    if (isPicked && isDrawn) return { tone: 'good', text: `◆${text}◆` }
    return isPicked ? `[${text}]` : isDrawn ? `*${text}*` : ` ${text} `
  })
  return [
    ...rows(cells, WIDTH),
    [`◆ ◆ hit, [ ] picked, * * drawn: ${meta.hits} of ${meta.picks.length} picks hit`],
  ]
}
