import { useRef } from 'hono/jsx/dom'
import { isGain } from '../../money/multiplier.ts'
import { Closing } from '../components/closing.tsx'
import { Money } from '../components/money.tsx'
import { onFrame, useMoving } from '../frames.ts'
import { useEffect } from '../hooks.ts'
import { showHundredths, showNumber } from '../locale.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { drawCurve, type Palette } from './curve.ts'
import { automaticTarget } from './draft.ts'
import { hand, type Result } from './hand.ts'
import { live, serverNow, shownNow } from './live.ts'
import { isVoided, multiplierNow, type TableState } from './table.ts'

/** The curve with the multiplier in front. Screen readers hear about transitions only. */
export function Stage() {
  const { big, small, tone } = useMoving(readFace)
  const { connection, table } = useStore(live)
  const { result } = useStore(hand)
  const isOver = table?.phase === 'results'
  return (
    <section class={`stage ${tone}`} aria-label="Current round">
      <Curve />
      <div class="face" aria-hidden="true">
        <p class="caption">{small}</p>
        <p class="big">{big}</p>
      </div>
      <Countdown />
      {result?.kind === 'won' && <Paid result={result} />}
      <p class="connection" role="status">
        {connection === 'lost' && 'Connection lost. Reconnecting…'}
      </p>
      <Closing mode={table?.mode} ending={isOver ? null : 'Closing after this round.'} />
    </section>
  )
}

function Paid({ result }: { result: Result & { kind: 'won' } }) {
  const isWon = isGain({ payout: result.payoutWei, amount: result.amountWei })
  return (
    <p class={isWon ? 'paid won' : 'paid'}>
      {isWon ? 'You won' : 'Returned'} <Money amountWei={result.payoutWei} token={result.token} />{' '}
      at {showHundredths(result.multiplier)}
    </p>
  )
}

interface Face {
  big: string
  small: string
  tone: 'waiting' | 'flying' | 'crashed'
}

function readFace(): Face {
  const { table } = live.value
  if (!table) return { big: '', small: 'Joining the round…', tone: 'waiting' }
  const now = shownNow()
  const big = showHundredths(multiplierNow(table, now))
  switch (table.phase) {
    case 'betting':
      return waitingFace(table, now)
    case 'flight':
      return { big, small: 'Flying', tone: 'flying' }
    case 'results':
      return isVoided(table)
        ? { big: 'Void', small: 'All bets were refunded', tone: 'waiting' }
        : { big, small: 'Crashed at', tone: 'crashed' }
  }
}

function waitingFace(table: TableState, now: number): Face {
  const leftMs = table.betsCloseAt - now
  if (leftMs > 0) return { big: seconds(leftMs), small: 'Bets close in', tone: 'waiting' }
  const untilFlightMs = table.flightAt - now
  const small = untilFlightMs > 0 ? 'Takes off in' : 'Taking off any moment'
  return { big: untilFlightMs > 0 ? seconds(untilFlightMs) : '1.00x', small, tone: 'waiting' }
}

function seconds(ms: number): string {
  return `${showNumber(Math.max(0, ms) / 1000, 1, true)} s`
}

/** Shows the remaining time for bets as a bar. */
function Countdown() {
  const bar = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      onFrame(() => {
        const { table } = live.value
        if (!bar.current || !table) return
        const left = table.phase === 'betting' ? table.betsCloseAt - serverNow() : 0
        const part = Math.min(1, Math.max(0, left / FULL_BAR_MS))
        bar.current.style.transform = `scaleX(${part})`
      }),
    [],
  )
  return <div class="countdown" ref={bar} aria-hidden="true" />
}

/** The bar is full at the default length of betting. */
const FULL_BAR_MS = 8_000

function Curve() {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context) return
    let palette = paletteOf(element)
    const darkScheme = matchMedia('(prefers-color-scheme: dark)')
    let drawn = ''
    const recolour = () => {
      palette = paletteOf(element)
      drawn = ''
    }
    darkScheme.addEventListener('change', recolour)
    const stop = onFrame(() => {
      const { table } = live.value
      if (!table) return
      const openBet = session.value.me?.openBet
      const { result } = hand.value
      const won =
        result?.kind === 'won' && result.roundId === table.roundId ? result.multiplier : null
      const aimed = openBet?.roundId === table.roundId ? automaticTarget(openBet, table) : null
      const target = won ?? aimed
      const { clientWidth: width, clientHeight: height } = element
      // A picture that does not move is drawn once.
      const picture = `${table.roundId} ${table.phase} ${target} ${width} ${height}`
      if (picture === drawn && table.phase !== 'flight') return
      drawn = picture
      fit(element, context, { width, height })
      const scene = { table, now: shownNow(), target: target && target / 100 }
      drawCurve(context, { width, height }, scene, palette)
    })
    return () => {
      darkScheme.removeEventListener('change', recolour)
      stop()
    }
  }, [])
  return <canvas ref={canvas} aria-hidden="true" />
}

interface Size {
  width: number
  height: number
}

/** Sizes the canvas in device pixels, while drawing stays in CSS pixels. */
function fit(
  element: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  { width, height }: Size,
): void {
  const ratio = devicePixelRatio
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (element.width !== wide || element.height !== high) {
    element.width = wide
    element.height = high
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
}

function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  return {
    line: colour('--good'),
    lost: colour('--bad'),
    grid: colour('--line'),
    text: colour('--muted'),
    target: colour('--accent'),
  }
}
