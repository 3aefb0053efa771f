/** A place on the canvas, or in the grid of a glyph. */
export type Point = readonly [x: number, y: number]

/** The height of a capital in the grid of {@link GLYPHS}. */
const CAPITAL = 6
/** The space between two glyphs and the width of a space, in the same grid. */
const GAP = 1.15
const SPACE = 2.2

/**
 * Capitals, digits and signs as strokes, from (0, 0) at the top left to the baseline at 6. `M` moves and `L` draws a
 * line. `H` and `V` draw a quarter of an ellipse that begins horizontally or vertically. `Q` draws a quadratic curve.
 */
const GLYPHS: Record<string, string> = {
  '0': 'M2 0 H4 2.1 L4 3.9 V2 6 H0 3.9 L0 2.1 V2 0',
  '1': 'M0 1.3 L1.7 0 L1.7 6',
  '2': 'M0 1.8 V2 0 H4 1.8 Q4 3 2.9 3.9 L0 6 L4 6',
  '3': 'M.1 1.3 Q.6 0 2 0 H3.8 1.5 V2 2.9 L1.4 2.9 M2 2.9 H4 4.4 V2 6 Q.4 6 0 4.6',
  '4': 'M3 6 L3 0 L0 4.3 L4.1 4.3',
  '5': 'M3.7 0 L.6 0 L.3 2.8 Q1.1 2.2 2 2.2 H4 4.1 V2 6 Q.6 6 0 4.8',
  '6': 'M3.6 .7 Q2.9 0 2.1 0 H0 2.6 L0 4.1 V2 6 H4 4.1 V2 2.4 H0 4.1',
  '7': 'M0 0 L4 0 L1.4 6',
  '8': 'M2 0 H3.7 1.4 V2 2.8 H.3 1.4 V2 0 M2 2.8 H4 4.4 V2 6 H0 4.4 V2 2.8',
  '9': 'M.4 5.3 Q1.1 6 1.9 6 H4 3.4 L4 1.9 V2 0 H0 1.9 V2 3.6 H4 1.9',
  A: 'M0 6 L2.2 0 L4.4 6 M.8 4 L3.6 4',
  B: 'M0 2.9 L0 0 L2.2 0 H3.7 1.4 V2.2 2.9 L0 2.9 L0 6 L2.3 6 H4 4.4 V2.3 2.9',
  C: 'M4 1.3 Q3.4 0 2.1 0 H0 2.1 L0 3.9 V2.1 6 Q3.4 6 4 4.7',
  D: 'M0 0 L0 6 L1.8 6 H4.1 3.8 L4.1 2.2 V1.8 0 L0 0',
  E: 'M3.5 0 L0 0 L0 6 L3.5 6 M0 2.9 L3 2.9',
  F: 'M3.5 0 L0 0 L0 6 M0 2.9 L3 2.9',
  G: 'M4 1.3 Q3.4 0 2.1 0 H0 2.1 L0 3.9 V2.1 6 H4.1 4 L4.1 3.2 L2.5 3.2',
  H: 'M0 0 L0 6 M4 0 L4 6 M0 2.9 L4 2.9',
  I: 'M0 0 L0 6',
  J: 'M3 0 L3 4.2 V1.5 6 Q.3 6 0 4.7',
  K: 'M0 0 L0 6 M3.8 0 L0 3.6 M1.4 2.4 L4 6',
  L: 'M0 0 L0 6 L3.4 6',
  M: 'M0 6 L0 0 L2.5 4 L5 0 L5 6',
  N: 'M0 6 L0 0 L4 6 L4 0',
  O: 'M2.2 0 H4.4 2.2 L4.4 3.8 V2.2 6 H0 3.8 L0 2.2 V2.2 0',
  P: 'M0 6 L0 0 L2.2 0 H4 1.7 V2.2 3.4 L0 3.4',
  Q: 'M2.2 0 H4.4 2.2 L4.4 3.8 V2.2 6 H0 3.8 L0 2.2 V2.2 0 M2.9 4.4 L4.5 6.2',
  R: 'M0 6 L0 0 L2.2 0 H4 1.7 V2.2 3.4 L0 3.4 M2.1 3.4 L4 6',
  S: 'M3.7 1.2 Q3.2 0 2 0 H.2 1.5 Q.2 2.6 2 2.9 Q4 3.3 4 4.5 V2 6 Q.5 6 0 4.7',
  T: 'M0 0 L4.2 0 M2.1 0 L2.1 6',
  U: 'M0 0 L0 3.9 V2.1 6 H4.2 3.9 L4.2 0',
  V: 'M0 0 L2.1 6 L4.2 0',
  W: 'M0 0 L1.5 6 L3 1.4 L4.5 6 L6 0',
  X: 'M0 0 L4 6 M4 0 L0 6',
  Y: 'M0 0 L2 3 L4 0 M2 3 L2 6',
  Z: 'M0 0 L4 0 L0 6 L4 6',
  '.': 'M.1 6 L.1 6',
  ',': 'M.3 5.9 L0 7',
  ':': 'M.1 2 L.1 2 M.1 5.6 L.1 5.6',
  '-': 'M0 3 L2.2 3',
  '/': 'M0 7 L2.4 -.6',
  '×': 'M0 2.3 L3 5.7 M3 2.3 L0 5.7',
}

interface Glyph {
  lines: Point[][]
  width: number
}

const drawn = new Map<string, Glyph>()

/** Returns a glyph of the font, which has only capitals; anything unknown is a space. */
function glyphOf(character: string): Glyph {
  const known = drawn.get(character)
  if (known) return known
  const lines = linesOf(GLYPHS[character] ?? '')
  const width = Math.max(SPACE * Number(lines.length === 0), ...lines.flat().map(([x]) => x))
  const glyph = { lines, width }
  drawn.set(character, glyph)
  return glyph
}

/** Returns the width of a text whose capitals have this height, drawn with strokes of this width. */
export function textWidth(text: string, height: number, stroke: number): number {
  const unit = height / CAPITAL
  const gap = GAP * unit + stroke
  const widths = Array.from(text, (character) => glyphOf(character).width * unit)
  return widths.reduce((sum, width) => sum + width + gap, -gap)
}

/** Returns the strokes of a text from its top left corner. */
export function textLines(text: string, height: number, stroke: number, [x, y]: Point): Point[][] {
  const unit = height / CAPITAL
  let left = x
  return Array.from(text).flatMap((character) => {
    const { lines, width } = glyphOf(character)
    // Equal glyphs on whole pixels are equal pixels, which compress well.
    const from = Math.round(left)
    left += width * unit + GAP * unit + stroke
    return lines.map((line) => line.map(([px, py]): Point => [from + px * unit, y + py * unit]))
  })
}

/** The steps in which a glyph's curve is drawn. */
const STEPS = 10

function linesOf(path: string): Point[][] {
  const lines: Point[][] = []
  for (const [, command, values = ''] of path.matchAll(/([MLHVQ])([^MLHVQ]*)/g)) {
    const [a = 0, b = 0, c = 0, d = 0] = values.trim().split(/\s+/).map(Number)
    const line = lines.at(-1) ?? []
    const from = line.at(-1) ?? [0, 0]
    if (command === 'M') lines.push([[a, b]])
    else if (command === 'L') line.push([a, b])
    else if (command === 'Q') line.push(...curve(from, [a, b], [c, d]))
    else line.push(...quarter(from, [a, b], command === 'H'))
  }
  return lines
}

const PARTS = Array.from({ length: STEPS }, (_, step) => (step + 1) / STEPS)

function curve([x, y]: Point, [cx, cy]: Point, [tx, ty]: Point): Point[] {
  return PARTS.map((t) => {
    const [start, middle, end] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2]
    return [x * start + cx * middle + tx * end, y * start + cy * middle + ty * end]
  })
}

function quarter([x, y]: Point, [tx, ty]: Point, isHorizontal: boolean): Point[] {
  return PARTS.map((part) => {
    const [near, far] = [Math.sin((part * Math.PI) / 2), 1 - Math.cos((part * Math.PI) / 2)]
    const [along, across] = isHorizontal ? [near, far] : [far, near]
    return [x + (tx - x) * along, y + (ty - y) * across]
  })
}
