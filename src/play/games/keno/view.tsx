import { newestTables } from '../../../games/games.ts'
import {
  KENO_NUMBERS,
  kenoTable,
  MAX_PICKS,
  type KenoMeta,
  type KenoParams,
} from '../../../games/keno/rule.ts'
import { KENO_RISKS, type KenoRisk } from '../../../games/keno/tables.ts'
import { localDecimal } from '../../locale.ts'
import { Board, type Cell } from '../board.tsx'
import { Choice } from '../choice.tsx'
import { refuse, useChoice, useShown } from '../desk.ts'
import { Game } from '../game.tsx'
import { QuickPicks, randomPicks } from '../picks.tsx'
import './keno.css'

const WIDTH = 8
/** How long the animation in keno.css takes. */
const REVEAL_MS = 900

/** Keno: the player picks up to ten numbers, and ten are drawn. */
export default function Keno() {
  const [picks, pick] = useChoice<number[]>([])
  const [risk, setRisk] = useChoice<KenoRisk>(KENO_RISKS[0])
  const shown = useShown('keno')
  const meta = shown?.meta ?? null
  const toggle = (number: number) => {
    if (picks.includes(number)) pick(picks.filter((each) => each !== number))
    else if (picks.length < MAX_PICKS) pick([...picks, number])
    else refuse(`You have picked all ${MAX_PICKS} numbers. Remove one first.`)
  }
  const cells = Array.from({ length: KENO_NUMBERS }, (_, index) =>
    cellOf(index + 1, picks.includes(index + 1), meta, shown?.nonce),
  )
  return (
    <Game
      game="keno"
      chosen={
        picks.length === 0 ? 'Pick at least one number.' : { game: 'keno', params: { picks, risk } }
      }
      picture={
        <>
          <Board
            label="Numbers"
            width={WIDTH}
            cells={cells}
            onPress={(index) => toggle(index + 1)}
          />
          <PayTable params={{ picks, risk }} hits={meta?.hits ?? null} nonce={shown?.nonce} />
        </>
      }
      revealMs={REVEAL_MS}
    >
      <Choice label="Risk" options={KENO_RISKS} value={risk} onChoose={setRisk} />
      <QuickPicks
        count={picks.length}
        randomCount={MAX_PICKS}
        onRandom={() => pick(randomPicks(KENO_NUMBERS, MAX_PICKS).map((index) => index + 1))}
        onClear={() => pick([])}
      />
    </Game>
  )
}

function cellOf(number: number, isPressed: boolean, meta: KenoMeta | null, nonce = -1): Cell {
  const order = meta ? meta.draws.indexOf(number) : -1
  if (order < 0) {
    return { label: `${number}`, isPressed, state: '', face: number, faceKey: 'undrawn' }
  }
  const isHit = meta !== null && meta.picks.includes(number)
  return {
    label: `${number}, ${isHit ? 'hit' : 'drawn'}`,
    isPressed,
    state: `open ${isHit ? 'hit' : 'drawn'}`,
    face: number,
    faceKey: nonce,
    order,
  }
}

interface PayTableProps {
  params: KenoParams
  hits: number | null
  nonce: number | undefined
}

/** The payout of each number of hits, for the current number of picks. */
function PayTable({ params, hits, nonce }: PayTableProps) {
  if (params.picks.length === 0) return <p class="paytable">Your possible wins appear here.</p>
  return (
    <ol class="paytable" aria-label="Pays">
      {kenoTable(params, { tables: newestTables() }).map((pays, count) => (
        <li key={`${count} ${count === hits ? nonce : ''}`} class={count === hits ? 'landed' : ''}>
          <strong>{localDecimal(String(pays / 100))}x</strong>
          <span>{count === 1 ? '1 hit' : `${count} hits`}</span>
        </li>
      ))}
    </ol>
  )
}
