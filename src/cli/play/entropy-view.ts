import { styleText } from 'node:util'
import { printable } from '../../core/printable.ts'
import { specOf, type GameName, type Result } from '../../games/games.ts'
import type { Piece } from '../../games/sketch.ts'

const COLOURS = { good: 'green', bad: 'red', strong: 'bold' } as const

/** Prints the picture of a settled play. */
export function showSketch(result: Result): void {
  for (const line of sketchLines(result)) console.log(`    ${line}`)
}

/** Draws a settled play in a few lines. */
export function sketchLines<G extends GameName>({ game, meta }: Result<G>): string[] {
  return specOf(game)
    .sketch(meta)
    .map((line) => line.map(coloured).join(' '))
}

function coloured(piece: Piece): string {
  if (typeof piece === 'string') return printable(piece)
  return styleText(COLOURS[piece.tone], printable(piece.text))
}
