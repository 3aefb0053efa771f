import { useMemo, useRef } from 'hono/jsx/dom'
import { newestTables } from '../../../games/games.ts'
import {
  MAX_ROWS,
  MIN_ROWS,
  plinkoTable,
  type PlinkoMeta,
  type PlinkoParams,
} from '../../../games/plinko/rule.ts'
import { RISKS, type Risk } from '../../../games/plinko/tables.ts'
import type { Hundredths } from '../../../money/multiplier.ts'
import { useEffect, useState } from '../../hooks.ts'
import { localDecimal } from '../../locale.ts'
import { isStill } from '../../settings.ts'
import { Choice, Slider } from '../choice.tsx'
import { tell, useChoice, useShown } from '../desk.ts'
import { Game } from '../game.tsx'
import { ballPoints, bucketX, pegs, ROW_HEIGHT } from './board.ts'
import './plinko.css'

/** Plinko: a ball falls over pegs into a bucket. */
export default function Plinko() {
  const [risk, setRisk] = useChoice<Risk>('medium')
  const [rows, setRows] = useChoice(MAX_ROWS)
  const params = { risk, rows }
  return (
    <Game
      game="plinko"
      chosen={{ game: 'plinko', params }}
      picture={<PlinkoBoard key={`${risk} ${rows}`} risk={risk} rows={rows} />}
    >
      <Choice label="Risk" options={RISKS} value={risk} onChoose={setRisk} />
      <Slider label="Rows" min={MIN_ROWS} max={MAX_ROWS} value={rows} onChange={setRows} />
    </Game>
  )
}

interface Ball extends PlinkoMeta {
  nonce: number
}

function PlinkoBoard({ risk, rows }: PlinkoParams) {
  const shown = useShown('plinko')
  const [balls, setBalls] = useState<Ball[]>([])
  const [landed, setLanded] = useState<Ball | null>(null)
  useEffect(() => {
    if (!shown) return
    const ball = { nonce: shown.nonce, ...shown.meta }
    setBalls((all) => [...all.filter(({ nonce }) => nonce !== ball.nonce), ball])
  }, [shown])
  // A landed ball stays until the next one has landed.
  const land = (ball: Ball) => {
    setLanded(ball)
    tell(ball.nonce)
    setBalls((all) => all.filter(({ nonce }) => nonce >= ball.nonce))
  }
  const table = plinkoTable({ risk, rows }, { tables: newestTables() })
  return (
    <svg
      class="plinko-board"
      viewBox={`${-rows / 2 - 0.6} -0.7 ${rows + 1.2} ${rows * ROW_HEIGHT + 1.4}`}
      role="img"
      aria-label={`${rows} rows; the buckets pay ${table.map(shownPay).join('; ')}`}
    >
      <Pegs rows={rows} />
      {table.map((pays, bucket) => (
        <g
          key={`${bucket} ${landed?.bucket === bucket ? landed.nonce : ''}`}
          class={`bucket ${landed?.bucket === bucket ? 'landed' : ''}`}
          style={{ '--heat': heatOf(pays) }}
        >
          <rect
            x={bucketX(bucket, rows) - 0.46}
            y={rows * ROW_HEIGHT - 0.3}
            width={0.92}
            height={0.9}
            rx={0.16}
          />
          <text
            class={pays >= 100_000 ? 'long' : ''}
            x={bucketX(bucket, rows)}
            y={rows * ROW_HEIGHT + 0.3}
          >
            {shownPay(pays)}
          </text>
        </g>
      ))}
      {balls.map((ball) => (
        <FallingBall key={ball.nonce} ball={ball} onLanded={land} />
      ))}
    </svg>
  )
}

function Pegs({ rows }: { rows: number }) {
  const points = useMemo(() => pegs(rows), [rows])
  return (
    <g class="pegs">
      {points.map(({ x, y }, index) => (
        <circle key={index} cx={x} cy={y} r={0.09} />
      ))}
    </g>
  )
}

/** Returns a bucket's colour by its payout in hundredths. */
function heatOf(pays: number): string {
  if (pays <= 100) return 'var(--muted)'
  if (pays < 300) return 'var(--good)'
  return pays < 2000 ? 'var(--cashout)' : 'var(--bad)'
}

const ROW_MS = 62
/** A ball touches a peg with its underside. */
const ABOVE_PEG = 0.36
const HOP = 0.16

function FallingBall({ ball, onLanded }: { ball: Ball; onLanded: (ball: Ball) => void }) {
  const circle = useRef<SVGCircleElement>(null)
  useEffect(() => {
    if (!circle.current) return
    const falling = circle.current.animate(keyframesOf(ball.path), {
      duration: isStill() ? 0 : (ball.rows + 2) * ROW_MS,
      fill: 'forwards',
    })
    falling.addEventListener('finish', () => onLanded(ball))
    return () => falling.cancel()
  }, [])
  return <circle ref={circle} class="ball" cx={0} cy={-1.5} r={0.28} />
}

/** Returns the keyframes from peg to peg, with a small hop off each. */
function keyframesOf(path: string): Keyframe[] {
  const points = ballPoints(path).map(({ x, y }) => ({ x, y: y - ABOVE_PEG }))
  const fall: Keyframe[] = [{ transform: shift(0, -1), easing: 'ease-in' }]
  for (const [index, { x, y }] of points.entries()) {
    fall.push({ transform: shift(x, y), easing: 'ease-out' })
    const next = points[index + 1]
    if (next) {
      fall.push({ transform: shift(x + (next.x - x) * 0.45, y - HOP), easing: 'ease-in' })
    }
  }
  return fall
}

/** Writes a bucket's payout, as short as possible. */
function shownPay(pays: Hundredths): string {
  return localDecimal(String(pays / 100))
}

function shift(x: number, y: number): string {
  return `translate(${x}px, ${y + 1.5}px)`
}
