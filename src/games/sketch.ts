/** A picture of a few lines: pieces of text, a space apart, some with a meaning that a terminal may colour. */
export type Piece = string | { tone: 'good' | 'bad' | 'strong'; text: string }
export type Line = Piece[]

/** Pieces in rows. */
export function rows(pieces: Piece[], width: number): Line[] {
  return Array.from({ length: pieces.length / width }, (_, row) =>
    pieces.slice(row * width, (row + 1) * width),
  )
}
