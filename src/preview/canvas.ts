import { textLines, textWidth, type Point } from './font.ts'

/** The place of a colour in the palette. */
export type Ink = number

/** Steps from the colour under a stroke's edge to the stroke's own. */
const LEVELS = 4
const MAX_COLOURS = 256

interface TextStyle {
  /** The height of a capital, in pixels. */
  height: number
  ink: Ink
  /** The width of a stroke; an eighth of the height by default. */
  stroke?: number
  align?: 'left' | 'right' | 'centre'
  /** The text shrinks to this width. */
  maxWidth?: number
}

/** A picture in indexed colours, drawn with round, smooth strokes. */
export class Canvas {
  readonly width: number
  readonly height: number
  /** The colour of each pixel, as its place in the palette. */
  readonly pixels: Uint8Array
  /** 0xRRGGBB. */
  readonly palette: number[] = []
  readonly #mixed = new Int16Array(MAX_COLOURS * MAX_COLOURS * LEVELS).fill(-1)
  readonly #places = new Map<number, Ink>()
  readonly #mask: Uint8Array

  constructor(width: number, height: number, ground: number) {
    this.width = width
    this.height = height
    this.pixels = new Uint8Array(width * height)
    this.#mask = new Uint8Array(width * height)
    this.ink(ground)
  }

  /** Returns the place of a colour in the palette. @param colour 0xRRGGBB */
  ink(colour: number): Ink {
    const known = this.#places.get(colour)
    if (known !== undefined) return known
    this.palette.push(colour)
    this.#places.set(colour, this.palette.length - 1)
    return this.palette.length - 1
  }

  /** Fills a rectangle of whole pixels. */
  fill(x: number, y: number, width: number, height: number, ink: Ink): void {
    const [left, right] = [Math.max(0, x), Math.min(this.width, x + width)]
    const [top, bottom] = [Math.max(0, y), Math.min(this.height, y + height)]
    if (left >= right) return
    for (let row = top; row < bottom; row++) {
      this.pixels.fill(ink, row * this.width + left, row * this.width + right)
    }
  }

  /** Fills a square with round corners around a centre. */
  tile([x, y]: Point, size: number, radius: number, ink: Ink): void {
    const reach = size / 2 - radius
    const [left, right, top, bottom] = [x - reach, x + reach, y - reach, y + reach]
    const corners: Point[] = [
      [left, top] as Point,
      [right, top] as Point,
      [right, bottom] as Point,
      [left, bottom] as Point,
      [left, top] as Point,
    ]
    this.stroke([corners], radius * 2, ink)
    const inner = Math.ceil(left)
    const size2 = Math.floor(right) - inner + 1
    this.fill(inner, Math.ceil(top), size2, Math.floor(bottom) - Math.ceil(top) + 1, ink)
  }

  disc(centre: Point, radius: number, ink: Ink): void {
    this.stroke([[centre, centre]], radius * 2, ink)
  }

  /** Draws lines through points. Overlaps of one call are drawn once. */
  stroke(lines: readonly Point[][], width: number, ink: Ink): void {
    const points = lines.flat()
    if (points.length === 0) return
    const margin = width / 2 + 1
    const [left, right] = this.#range(
      points.map(([x]) => x),
      margin,
      this.width,
    )
    const [top, bottom] = this.#range(
      points.map(([, y]) => y),
      margin,
      this.height,
    )
    for (const line of lines) {
      if (line.length === 1) this.#cover(line[0]!, line[0]!, width / 2)
      for (let next = 1; next < line.length; next++) {
        this.#cover(line[next - 1]!, line[next]!, width / 2)
      }
    }
    for (let y = top; y < bottom; y++) {
      for (let at = y * this.width + left; at < y * this.width + right; at++) {
        const level = this.#mask[at]!
        if (level === 0) continue
        this.#mask[at] = 0
        this.pixels[at] = level === LEVELS ? ink : this.#mix(this.pixels[at]!, ink, level)
      }
    }
  }

  /** Writes a text from its top left corner, or as it is aligned. Returns its width. */
  text(text: string, [x, y]: Point, style: TextStyle): number {
    const { align = 'left', maxWidth = Infinity, ink } = style
    const { stroke: full = style.height / 8 } = style
    const scale = Math.min(1, maxWidth / textWidth(text, style.height, full))
    const [height, stroke] = [style.height * scale, full * scale]
    const width = textWidth(text, height, stroke)
    const left = x - { left: 0, right: width, centre: width / 2 }[align]
    // A text that shrinks keeps its baseline.
    const top = Math.round(y + style.height - height)
    this.stroke(textLines(text, height, stroke, [left, top]), stroke, ink)
    return width
  }

  #range(values: number[], margin: number, size: number): [from: number, to: number] {
    const from = Math.floor(Math.min(...values) - margin)
    const to = Math.ceil(Math.max(...values) + margin)
    return [Math.max(0, from), Math.min(size, to)]
  }

  /** Marks how far each pixel lies within a line with round ends. */
  #cover([ax, ay]: Point, [bx, by]: Point, radius: number): void {
    const [left, right] = this.#range([ax, bx], radius + 1, this.width)
    const [top, bottom] = this.#range([ay, by], radius + 1, this.height)
    const [dx, dy] = [bx - ax, by - ay]
    const length2 = dx * dx + dy * dy
    const [inside2, outside2] = [Math.max(0, radius - 0.5) ** 2, (radius + 0.5) ** 2]
    for (let row = top; row < bottom; row++) {
      const y = row + 0.5 - ay
      for (let column = left; column < right; column++) {
        const x = column + 0.5 - ax
        const part = length2 === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / length2))
        const distance2 = (x - part * dx) ** 2 + (y - part * dy) ** 2
        if (distance2 >= outside2) continue
        const at = row * this.width + column
        const level =
          distance2 <= inside2 ? LEVELS : Math.round((radius + 0.5 - Math.sqrt(distance2)) * LEVELS)
        if (level > this.#mask[at]!) this.#mask[at] = Math.min(LEVELS, level)
      }
    }
  }

  /** Returns a colour between two of the palette. A full palette has the nearer one. */
  #mix(under: Ink, ink: Ink, level: number): Ink {
    const key = (under * MAX_COLOURS + ink) * LEVELS + level
    const known = this.#mixed[key]!
    if (known >= 0) return known
    const colour = mixed(this.palette[under]!, this.palette[ink]!, level / LEVELS)
    const isFull = this.palette.length >= MAX_COLOURS && !this.#places.has(colour)
    const place = isFull ? (level * 2 >= LEVELS ? ink : under) : this.ink(colour)
    this.#mixed[key] = place
    return place
  }
}

/** Returns a colour between two. @param part from 0, the first, to 1, the second */
function mixed(from: number, to: number, part: number): number {
  const channels = [16, 8, 0].map((shift) => {
    const [a, b] = [(from >> shift) & 255, (to >> shift) & 255]
    return Math.round(a + (b - a) * part) << shift
  })
  return channels.reduce((colour, channel) => colour | channel, 0)
}
