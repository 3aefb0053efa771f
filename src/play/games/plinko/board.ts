/** The board's geometry, in widths of a bucket; x is 0 in the middle, y 0 at the first row. */

export interface Point {
  x: number
  y: number
}

/** Rows are closer together than the pegs of a row. */
export const ROW_HEIGHT = 0.86

/** Three pegs in the first row, one more in each after it. */
export function pegs(rows: number): Point[] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: row + 3 }, (_peg, index) => ({
      x: index - (row + 2) / 2,
      y: row * ROW_HEIGHT,
    })),
  ).flat()
}

/** Returns the middle of a bucket. */
export function bucketX(bucket: number, rows: number): number {
  return bucket - rows / 2
}

/** Returns the points where a ball meets a peg in each row and finally the bucket: `rows + 1` points. */
export function ballPoints(path: string): Point[] {
  const points: Point[] = [{ x: 0, y: 0 }]
  let x = 0
  for (const [row, turn] of path.split('').entries()) {
    x += turn === 'R' ? 0.5 : -0.5
    points.push({ x, y: (row + 1) * ROW_HEIGHT })
  }
  return points
}
