import type { MetaOf, Result } from '../games/games.ts'
import { KENO_NUMBERS } from '../games/keno/rule.ts'
import { TILES } from '../games/mines/rule.ts'
import type { Canvas } from './canvas.ts'
import type { Box, Picture } from './card.ts'
import type { Point } from './font.ts'

/** Draws a flight to its crash. @param cashout the multiplier of a cash-out on the way */
export function flight(crash: number, cashout: number | null = null): Picture {
  return (canvas, inks, box) => {
    const top = Math.max(2, crash * 1.12)
    // The multiplier grows exponentially in time, so its logarithm is the time.
    const most = Math.log(Math.max(1.2, crash)) * 1.06
    const place = (multiplier: number): Point => [
      box.left + (Math.log(multiplier) / most) * (box.right - box.left - 24),
      box.bottom - ((multiplier - 1) / (top - 1)) * (box.bottom - box.top),
    ]
    for (let row = 0; row <= 4; row++) {
      const y = box.bottom - (row * (box.bottom - box.top)) / 4
      canvas.fill(box.left, Math.round(y), box.right - box.left, 2, inks.line)
    }
    const steps = 96
    const points = Array.from({ length: steps + 1 }, (_, step) => place(crash ** (step / steps)))
    shade(canvas, points, box.bottom, cashout === null ? inks.badGround : inks.goodGround)
    canvas.stroke([points], 10, cashout === null ? inks.bad : inks.muted)
    if (cashout !== null) {
      const reached = Array.from({ length: steps + 1 }, (_, s) => place(cashout ** (s / steps)))
      canvas.stroke([reached], 10, inks.good)
    }
    canvas.disc(place(crash), 15, inks.bad)
    if (cashout === null) return
    canvas.disc(place(cashout), 22, inks.good)
    canvas.disc(place(cashout), 9, inks.white)
  }
}

/** Fills the area under a curve. */
function shade(canvas: Canvas, points: Point[], bottom: number, ink: number): void {
  for (let next = 1; next < points.length; next++) {
    const [[ax, ay], [bx, by]] = [points[next - 1]!, points[next]!]
    for (let x = Math.round(ax); x < Math.round(bx); x++) {
      const y = Math.round(ay + ((by - ay) * (x - ax)) / Math.max(1, bx - ax))
      canvas.fill(x, y, 1, bottom - y, ink)
    }
  }
}

/** Returns the picture of a play; undefined for a game that has none. */
export function pictureOf({ game, meta }: Result): Picture | undefined {
  const draw = PICTURES[game] as ((meta: unknown) => Picture) | undefined
  return draw?.(meta)
}

/** A game without a picture shows its result in figures only. */
const PICTURES: { [G in keyof MetaOf]?: (meta: MetaOf[G]) => Picture } = {
  mines: minefield,
  limbo: thresholds,
  plinko: pegs,
  keno: numbers,
}

function minefield({ mines, picked }: MetaOf['mines']): Picture {
  return (canvas, inks, box) => {
    const { places, size } = grid(box, 5, TILES)
    for (const [tile, place] of places.entries()) {
      const [isMine, isPicked] = [mines.includes(tile), picked.includes(tile)]
      const ground = isMine ? inks.badGround : isPicked ? inks.goodGround : inks.raised
      canvas.tile(place, size, 14, isMine && isPicked ? inks.bad : ground)
      if (isMine) drawMine(canvas, place, size, isPicked ? inks.white : inks.bad)
      else if (isPicked) drawGem(canvas, place, size, inks.good)
    }
  }
}

function drawMine(canvas: Canvas, [x, y]: Point, size: number, ink: number): void {
  const [reach, thick] = [Math.round(size * 0.27), Math.round(size * 0.035)]
  canvas.fill(x - reach, y - thick, reach * 2, thick * 2, ink)
  canvas.fill(x - thick, y - reach, thick * 2, reach * 2, ink)
  canvas.disc([x, y], size * 0.18, ink)
}

function drawGem(canvas: Canvas, [x, y]: Point, size: number, ink: number): void {
  for (let reach = size * 0.2; reach > 1; reach -= size * 0.06) {
    const corners: Point[] = [
      [x, y - reach],
      [x + reach, y],
      [x, y + reach],
      [x - reach, y],
      [x, y - reach],
    ]
    canvas.stroke([corners], size * 0.07, ink)
  }
}

function numbers({ draws, picks }: MetaOf['keno']): Picture {
  return (canvas, inks, box) => {
    const { places, size } = grid(box, 8, KENO_NUMBERS)
    for (const [index, place] of places.entries()) {
      const number = index + 1
      const [isDrawn, isPicked] = [draws.includes(number), picks.includes(number)]
      const isHit = isDrawn && isPicked
      const ground = isHit ? inks.good : isDrawn ? inks.badGround : inks.raised
      canvas.tile(place, size, 10, isPicked && !isDrawn ? inks.line : ground)
      if (!isDrawn && !isPicked) continue
      const ink = isHit ? inks.panel : isDrawn ? inks.bad : inks.text
      const height = Math.round(size * 0.3)
      const at: Point = [place[0], place[1] - height / 2]
      canvas.text(String(number), at, { height, ink, stroke: 2.4, align: 'centre' })
    }
  }
}

function pegs({ path, rows, bucket }: MetaOf['plinko']): Picture {
  return (canvas, inks, box) => {
    const gap = (box.right - box.left) / (rows + 1)
    const drop = (box.bottom - box.top - 40) / rows
    const middle = (box.left + box.right) / 2
    const place = (row: number, rights: number): Point => [
      middle + (rights - row / 2) * gap,
      box.top + row * drop,
    ]
    for (let row = 0; row < rows; row++) {
      for (let peg = 0; peg <= row; peg++) canvas.disc(place(row, peg), 5, inks.line)
    }
    const turns = Array.from(path)
    const ways = turns.map(
      (_, row) => turns.slice(0, row + 1).filter((turn) => turn === 'R').length,
    )
    const points = [place(0, 0), ...ways.map((rights, row) => place(row + 1, rights))]
    canvas.stroke([points], 6, inks.accent)
    for (let slot = 0; slot <= rows; slot++) {
      const [x, y] = place(rows, slot)
      const width = Math.round(gap - 6)
      const left = Math.round(x - width / 2)
      canvas.fill(left, Math.round(y + 18), width, 22, slot === bucket ? inks.accent : inks.raised)
    }
    canvas.disc(place(rows, bucket), 13, inks.accent)
  }
}

/** Two bars on a logarithmic scale: the target, and the roll. */
function thresholds({ result, target }: MetaOf['limbo']): Picture {
  return (canvas, inks, box) => {
    const most = Math.log(Math.max(result, target)) * 1.05
    const height = box.bottom - box.top - 60
    const [left, right] = [box.left + 40, box.right - 40]
    const reach = (multiplier: number) => Math.max(0.02, Math.log(multiplier) / most) * height
    const rolled = Math.round(reach(result))
    const isWon = result >= target
    const width = 170
    const x = right - width - 40
    canvas.fill(x, box.bottom - Math.round(height), width, Math.round(height), inks.panel)
    canvas.fill(x, box.bottom - rolled, width, rolled, isWon ? inks.good : inks.bad)
    const line = box.bottom - Math.round(reach(target))
    canvas.fill(left, line - 3, right - left, 6, inks.accent)
    const label = { height: 20, stroke: 2.6, maxWidth: x - left - 16 }
    canvas.text('TARGET', [left, line - 70], { ...label, ink: inks.accent })
    canvas.text(`${target.toFixed(2)}×`, [left, line - 36], { ...label, ink: inks.accent })
    const wide = { height: 24, stroke: 3, align: 'centre', ink: inks.text } as const
    canvas.text(`${result.toFixed(2)}×`, [x + width / 2, box.bottom - rolled - 42], wide)
  }
}

interface Grid {
  /** The centre of each cell, row by row. */
  places: Point[]
  size: number
}

/** Lays out square cells in the middle of a box. */
function grid(box: Box, columns: number, count: number): Grid {
  const rows = Math.ceil(count / columns)
  const step = Math.floor(Math.min((box.right - box.left) / columns, (box.bottom - box.top) / rows))
  const left = Math.floor((box.left + box.right - step * columns) / 2)
  const top = Math.floor((box.top + box.bottom - step * rows) / 2)
  const places = Array.from({ length: count }, (_, index): Point => [
    left + Math.round(((index % columns) + 0.5) * step),
    top + Math.round((Math.floor(index / columns) + 0.5) * step),
  ])
  return { places, size: step - 8 }
}
