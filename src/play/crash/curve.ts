import { showNumber, showMultiplier } from '../locale.ts'
import { flownMs, multiplierNow, type TableState } from './table.ts'

/** The curve's CSS colours. */
export interface Palette {
  line: string
  lost: string
  grid: string
  text: string
  target: string
}

interface Scene {
  table: TableState
  /** Server time. */
  now: number
  /** The multiplier at which the player will be or was cashed out. */
  target: number | null
}

/** The smallest view: eight seconds, and up to 1.8x. */
const LEAST = { ms: 8_000, multiplier: 1.8 }
const MARGIN = { top: 24, right: 28, bottom: 30, left: 48 }
const STEPS = 96

/** Draws the current flight, in CSS pixels. */
export function drawCurve(
  context: CanvasRenderingContext2D,
  { width, height }: { width: number; height: number },
  { table, now, target }: Scene,
  palette: Palette,
): void {
  const multiplier = multiplierNow(table, now) / 100
  const isFlying = table.phase === 'flight'
  const hasCrashed = table.phase === 'results' && table.crashPoint !== null
  const grownMs = Math.log(multiplier) / table.growthPerMs
  const elapsedMs = isFlying ? Math.max(flownMs(table, now), grownMs) : grownMs
  const top = Math.exp(table.growthPerMs * elapsedMs)
  const msInView = Math.max(LEAST.ms, elapsedMs * 1.08)
  const highest = Math.max(LEAST.multiplier, 1 + (top - 1) * 1.2)
  const x = (ms: number) => MARGIN.left + (ms / msInView) * (width - MARGIN.left - MARGIN.right)
  const y = (value: number) =>
    height - MARGIN.bottom - ((value - 1) / (highest - 1)) * (height - MARGIN.top - MARGIN.bottom)

  context.clearRect(0, 0, width, height)
  drawGrid(context, { width, height, msInView, highest, x, y }, palette)
  if (isFlying || hasCrashed) {
    const colour = hasCrashed ? palette.lost : palette.line
    drawFlight(context, { table, elapsedMs, x, y }, colour)
  }
  if (target === null || target >= highest) return
  drawTarget(context, { width, at: y(target), target }, palette)
}

interface Flight extends Pick<Frame, 'x' | 'y'> {
  table: TableState
  elapsedMs: number
}

function drawFlight(
  context: CanvasRenderingContext2D,
  { table, elapsedMs, x, y }: Flight,
  colour: string,
): void {
  const top = Math.exp(table.growthPerMs * elapsedMs)
  const path = new Path2D()
  path.moveTo(x(0), y(1))
  for (let step = 1; step <= STEPS; step++) {
    const ms = (elapsedMs * step) / STEPS
    path.lineTo(x(ms), y(Math.exp(table.growthPerMs * ms)))
  }
  fillBelow(context, path, { left: x(0), right: x(elapsedMs), top: y(top), bottom: y(1) }, colour)
  context.strokeStyle = colour
  context.lineWidth = 4
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.stroke(path)
  drawTip(context, x(elapsedMs), y(top), colour)
}

interface Frame {
  width: number
  height: number
  msInView: number
  highest: number
  x: (ms: number) => number
  y: (multiplier: number) => number
}

function drawGrid(context: CanvasRenderingContext2D, frame: Frame, palette: Palette): void {
  const { width, height, msInView, highest, x, y } = frame
  context.strokeStyle = palette.grid
  context.fillStyle = palette.text
  context.lineWidth = 1
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  const step = niceStep((highest - 1) / 5)
  for (let count = 0; 1 + count * step <= highest; count++) {
    const value = 1 + count * step
    const at = Math.round(y(value)) + 0.5
    line(context, MARGIN.left, at, width - MARGIN.right, at)
    context.fillText(
      `${showNumber(value, step < 0.1 ? 2 : step < 1 ? 1 : 0, true)}x`,
      MARGIN.left - 10,
      at,
    )
  }
  context.textAlign = 'center'
  const seconds = Math.max(1, niceStep(msInView / 1000 / 5))
  for (let at = seconds; at * 1000 <= msInView; at += seconds) {
    context.fillText(`${at} s`, x(at * 1000), height - MARGIN.bottom / 2 + 2)
  }
}

function drawTarget(
  context: CanvasRenderingContext2D,
  { width, at, target }: { width: number; at: number; target: number },
  palette: Palette,
): void {
  context.strokeStyle = palette.target
  context.fillStyle = palette.target
  context.lineWidth = 1.5
  context.setLineDash([6, 6])
  line(context, MARGIN.left, at, width - MARGIN.right, at)
  context.setLineDash([])
  context.font = '600 12px system-ui, sans-serif'
  context.textAlign = 'right'
  context.fillText(`Cash out ${showMultiplier(target)}`, width - MARGIN.right, at - 10)
}

function fillBelow(
  context: CanvasRenderingContext2D,
  path: Path2D,
  { left, right, top, bottom }: { left: number; right: number; top: number; bottom: number },
  colour: string,
): void {
  const area = new Path2D(path)
  area.lineTo(right, bottom)
  area.lineTo(left, bottom)
  area.closePath()
  const gradient = context.createLinearGradient(0, top, 0, bottom)
  gradient.addColorStop(0, colour)
  gradient.addColorStop(1, 'transparent')
  context.globalAlpha = 0.28
  context.fillStyle = gradient
  context.fill(area)
  context.globalAlpha = 1
}

function drawTip(context: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  context.fillStyle = colour
  context.globalAlpha = 0.22
  disc(context, x, y, 14)
  context.globalAlpha = 1
  disc(context, x, y, 7)
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fill()
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number) {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}

/** Returns the smallest of 1, 2 and 5 times a power of ten that is at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find((digit) => digit * power >= least) ?? 10)
}
