import { Canvas, type Ink } from './canvas.ts'
import { type Point } from './font.ts'
import { drawMark } from './mark.ts'

/** The content of a preview. Texts are drawn in capitals. */
export interface Card {
  /** The subject: "Round 1,234". */
  title: string
  /** The figure that stands out. */
  result: string
  tone: 'good' | 'bad' | 'plain'
  /** At most two lines below the figure. */
  lines: string[]
  /** Draws the result's picture on the right. */
  picture?: Picture
}

export type Picture = (canvas: Canvas, inks: Inks, box: Box) => void

/** The part of the card for the picture. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** The page's colours in dark mode. */
const COLOURS = {
  panel: 0x131a1d,
  raised: 0x1d272b,
  line: 0x2a363b,
  text: 0xedf4f2,
  muted: 0x9db0ac,
  good: 0x35d9a0,
  goodGround: 0x12342c,
  bad: 0xff7285,
  badGround: 0x3a1f28,
  accent: 0xffc65c,
  brand: 0x0b7a5e,
  white: 0xffffff,
} as const

type Inks = Record<keyof typeof COLOURS, Ink>

/** The format that platforms show in full: 1.91 to 1. */
const WIDTH = 1_200
const HEIGHT = 630
const GROUND = 0x0b1012

const LEFT = 72
const BOX: Box = { left: 680, top: 96, right: WIDTH - 72, bottom: HEIGHT - 96 }
/** The width of the texts, with a gap before the picture. */
const TEXT_WIDTH = BOX.left - LEFT - 56

/** Draws a card. @param site the host that the card's link leads to */
export function drawCard(card: Card, site: string): Canvas {
  const canvas = new Canvas(WIDTH, HEIGHT, GROUND)
  const inks = inksOf(canvas)
  canvas.fill(
    0,
    HEIGHT - 10,
    WIDTH,
    10,
    { good: inks.good, bad: inks.bad, plain: inks.brand }[card.tone],
  )
  drawBrand(canvas, inks)
  const wide = { maxWidth: card.picture ? TEXT_WIDTH : WIDTH - 2 * LEFT }
  canvas.text(card.title.toUpperCase(), [LEFT, 186], {
    height: 26,
    ink: inks.muted,
    stroke: 3.3,
    ...wide,
  })
  const tone = { good: inks.good, bad: inks.bad, plain: inks.text }[card.tone]
  canvas.text(card.result.toUpperCase(), [LEFT, 256], {
    height: 112,
    ink: tone,
    stroke: 16,
    ...wide,
  })
  for (const [index, line] of card.lines.entries()) {
    const at: Point = [LEFT, 420 + index * 50]
    canvas.text(line.toUpperCase(), at, { height: 26, ink: inks.text, stroke: 3.6, ...wide })
  }
  canvas.text(`Verify it at ${site}`.toUpperCase(), [LEFT, 540], {
    height: 18,
    ink: inks.muted,
    stroke: 2.3,
    ...wide,
  })
  card.picture?.(canvas, inks, BOX)
  return canvas
}

function inksOf(canvas: Canvas): Inks {
  const entries = Object.entries(COLOURS).map(([name, colour]) => [name, canvas.ink(colour)])
  return Object.fromEntries(entries) as Inks
}

/** Draws the page's icon. */
function drawBrand(canvas: Canvas, inks: Inks): void {
  const [x, y, size] = [LEFT, 72, 56]
  canvas.tile([x + size / 2, y + size / 2], size, 14, inks.brand)
  drawMark(canvas, [x, y], size, { curve: inks.white, point: inks.accent })
  canvas.text('FAIRHOUSE', [x + size + 22, y + 17], { height: 22, ink: inks.text, stroke: 3.4 })
}
