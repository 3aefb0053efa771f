/** A piece of a text picture. A terminal shows its tone as a colour, and a space between pieces. */
export type Piece = string | { tone: 'good' | 'bad' | 'strong'; text: string }
export type Line = Piece[]

/** Arranges pieces in rows. */
export function rows(pieces: Piece[], width: number): Line[] {
  return Array.from({ length: pieces.length / width }, (_, row) =>
    pieces.slice(row * width, (row + 1) * width),
  )
}
