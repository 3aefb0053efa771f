import type { Step } from '../../fairness/check.ts'
import type { DrawnPlay, GameSpec } from '../game.ts'
import { drawnStep, floatStep } from '../proof.ts'
import { rows, type Line, type Piece } from '../sketch.ts'
import { TILES, type MinesMeta, type MinesParams } from './rule.ts'

export const words: GameSpec<MinesParams, MinesMeta>['words'] = {
  choice({ mines, picked }) {
    const tiles =
      picked.length === 0
        ? 'no tile'
        : `${picked.length === 1 ? 'tile' : 'tiles'} ${picked.join(', ')}`
    return `${mines.length === 1 ? '1 mine' : `${mines.length} mines`}, ${tiles}`
  },
  result({ mines, picked }) {
    const hit = picked.filter((tile) => mines.includes(tile))
    if (hit.length > 1) return `Mines under tiles ${hit.join(', ')}`
    if (hit.length === 1) return `Mine under tile ${hit[0]}`
    if (picked.length === 0) return 'No tile picked: the stake returned'
    return `No mine under your ${picked.length === 1 ? 'tile' : `${picked.length} tiles`}`
  },
  draw({ mines, picked }) {
    return `mines at ${mines.join(' ')}, with ${picked.join(' ') || 'none'} picked`
  },
}

export function proof(play: DrawnPlay<MinesMeta>): Step[] {
  const { mines } = play.meta
  return [floatStep(play, mines.length), drawnStep(mines, `${TILES} tiles`)]
}

const WIDTH = 5

export function sketch({ mines, picked }: MinesMeta): Line[] {
  const tiles = Array.from({ length: TILES }, (_, tile): Piece => {
    const isMine = mines.includes(tile)
    if (!picked.includes(tile)) return isMine ? '✱' : '·'
    return isMine ? { tone: 'bad', text: '✗' } : { tone: 'good', text: '◆' }
  })
  return [...rows(tiles, WIDTH), ['◆ safe pick, ✗ mine picked, ✱ mine']]
}
