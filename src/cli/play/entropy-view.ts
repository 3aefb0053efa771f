import { styleText } from 'node:util'
import { KENO_NUMBERS } from '../../games/keno.ts'
import { TILES } from '../../games/mines.ts'
import type { DisclosedPlay } from '../../verify/play.ts'

const BOARD_WIDTH = 5
const KENO_WIDTH = 10

/** A settled play as a picture of a few lines. */
export function drawPlay({ meta }: Pick<DisclosedPlay, 'meta'>): string[] {
  if ('result' in meta) {
    const reached = meta.result >= meta.target ? 'reaches' : 'stays below'
    return [`${meta.result.toFixed(2)}x ${reached} your ${meta.target.toFixed(2)}x`]
  }
  if ('path' in meta) {
    const buckets = Array.from({ length: meta.rows + 1 }, (_, bucket) =>
      bucket === meta.bucket ? styleText('bold', '●') : '·',
    )
    return [meta.path.split('').join(' '), `${buckets.join(' ')}  bucket ${meta.bucket}`]
  }
  if ('draws' in meta) {
    const cells = numbered(KENO_NUMBERS, 1).map((number) => {
      const text = String(number).padStart(2)
      const [isPicked, isDrawn] = [meta.picks.includes(number), meta.draws.includes(number)]
      if (isPicked && isDrawn) return styleText('green', `◆${text}◆`)
      return isPicked ? `[${text}]` : isDrawn ? `*${text}*` : ` ${text} `
    })
    const hits = `${meta.hits} of ${meta.picks.length} picks hit`
    return [...rows(cells, KENO_WIDTH), `◆ ◆ hit, [ ] picked, * * drawn: ${hits}`]
  }
  const tiles = numbered(TILES, 0).map((tile) => {
    const [isPicked, isMine] = [meta.picked.includes(tile), meta.mines.includes(tile)]
    if (isPicked) return isMine ? styleText('red', '✗') : styleText('green', '◆')
    return isMine ? '✱' : '·'
  })
  return [...rows(tiles, BOARD_WIDTH), '◆ safe pick, ✗ mine picked, ✱ mine']
}

function numbered(count: number, from: number): number[] {
  return Array.from({ length: count }, (_, index) => index + from)
}

function rows(cells: string[], width: number): string[] {
  return Array.from({ length: cells.length / width }, (_, row) =>
    cells.slice(row * width, (row + 1) * width).join(' '),
  )
}
