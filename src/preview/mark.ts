import type { Canvas, Ink } from './canvas.ts'
import type { Point } from './font.ts'

/** The side of the square in which the page's icon is drawn (`src/play/icon.svg`). */
const UNITS = 32

/** Draws the curve and the point of the page's icon. @param corner top left, of the icon's square */
export function drawMark(
  canvas: Canvas,
  [x, y]: Point,
  size: number,
  inks: { curve: Ink; point: Ink },
): void {
  const place = (px: number, py: number): Point => [
    x + (px * size) / UNITS,
    y + (py * size) / UNITS,
  ]
  const steps = Math.max(16, Math.ceil(size / 8))
  const curve = Array.from({ length: steps + 1 }, (_, step): Point => {
    const t = step / steps
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3]
    return place(a * 6 + b * 14 + c * 21 + d * 25, a * 24 + b * 24 + c * 20 + d * 8)
  })
  canvas.stroke([curve], (3.5 * size) / UNITS, inks.curve)
  canvas.disc(place(25, 8), (3 * size) / UNITS, inks.point)
}
