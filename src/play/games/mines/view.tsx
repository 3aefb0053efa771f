import { TILES, type MinesMeta } from '../../../games/mines/rule.ts'
import type { Chosen } from '../bet-form.tsx'
import { Board, type Cell } from '../board.tsx'
import { Slider } from '../choice.tsx'
import { useChoice, useShown } from '../desk.ts'
import { Game } from '../game.tsx'
import { QuickPicks, randomPicks } from '../picks.tsx'
import { Gem, Mine } from './icons.tsx'
import './mines.css'

const WIDTH = 5
const FIRST_MINES = 3
const RANDOM_PICKS = 5
/** How long the animation in mines.css takes. */
const REVEAL_MS = 300

/** Mines: the player chooses tiles, then all are revealed at once. */
export default function Mines() {
  const [mines, setMines] = useChoice(FIRST_MINES)
  const [picked, pick] = useChoice<number[]>([])
  const shown = useShown('mines')
  const meta = shown?.meta ?? null
  const toggle = (tile: number) =>
    pick(picked.includes(tile) ? picked.filter((each) => each !== tile) : [...picked, tile])
  const randomCount = Math.min(RANDOM_PICKS, TILES - mines)
  const cells = Array.from({ length: TILES }, (_, tile) =>
    cellOf(tile, picked.includes(tile), meta, shown?.nonce),
  )
  return (
    <Game
      game="mines"
      chosen={chosenOf(mines, picked)}
      picture={<Board label="Tiles" width={WIDTH} cells={cells} onPress={toggle} />}
      revealMs={REVEAL_MS}
    >
      <Slider label="Mines" min={1} max={TILES - 1} value={mines} onChange={setMines} />
      <QuickPicks
        count={picked.length}
        randomCount={randomCount}
        onRandom={() => pick(randomPicks(TILES, randomCount))}
        onClear={() => pick([])}
      />
    </Game>
  )
}

function chosenOf(mines: number, picked: number[]): Chosen {
  if (picked.length === 0) return 'Pick at least one tile.'
  const most = TILES - mines
  if (picked.length <= most) return { game: 'mines', params: { mines, picked } }
  return `With ${mines} mines, pick at most ${most} ${most === 1 ? 'tile' : 'tiles'}.`
}

function cellOf(tile: number, isPressed: boolean, meta: MinesMeta | null, nonce = -1): Cell {
  const name = `Tile ${tile}`
  if (!meta) return { label: name, isPressed, state: '', face: null, faceKey: 'hidden' }
  const isMine = meta.mines.includes(tile)
  return {
    label: `${name}, ${isMine ? 'mine' : 'gem'}`,
    isPressed,
    state: `open ${isMine ? 'mine' : 'gem'}`,
    face: isMine ? <Mine /> : <Gem />,
    faceKey: nonce,
  }
}
