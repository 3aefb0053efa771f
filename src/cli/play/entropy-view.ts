import { styleText } from 'node:util'
import { specOf, type GameName, type Result } from '../../games/games.ts'
import type { Piece } from '../../games/sketch.ts'

const COLOURS = { good: 'green', bad: 'red', strong: 'bold' } as const

/** Draws a settled play in a few lines. */
export function sketchLines<G extends GameName>({ game, meta }: Result<G>): string[] {
  return specOf(game)
    .sketch(meta)
    .map((line) => line.map(coloured).join(' '))
}

function coloured(piece: Piece): string {
  return typeof piece === 'string' ? piece : styleText(COLOURS[piece.tone], piece.text)
}
