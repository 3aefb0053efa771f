import type { MinesGame } from '../../../games/mines/open.ts'
import { TILES, type MinesMeta } from '../../../games/mines/rule.ts'
import { showMultiplier } from '../../../money/multiplier.ts'
import { shortAmount } from '../../amounts.ts'
import { useHotkeys } from '../../hotkeys.ts'
import { useStore } from '../../store.ts'
import type { Chosen, Turns } from '../bet-form.tsx'
import { Board, type Cell } from '../board.tsx'
import { Choice, Slider } from '../choice.tsx'
import { desk, useChoice, useShown } from '../desk.ts'
import { Game } from '../game.tsx'
import { QuickPicks, randomPicks } from '../picks.tsx'
import { cashOutGame, openGame, pickRandomTile, pickTile } from './hand.ts'
import { Gem, Mine } from './icons.tsx'
import { TileOdds } from './tile-odds.tsx'
import './mines.css'

const WIDTH = 5
const FIRST_MINES = 3
const RANDOM_PICKS = 5
/** How long the animation in mines.css takes. */
const REVEAL_MS = 300

const MODES = ['tile by tile', 'all at once'] as const

/** Mines: the player opens tile after tile and cashes out, or picks tiles that are revealed at once. */
export default function Mines() {
  const [mode, setMode] = useChoice<(typeof MODES)[number]>('tile by tile')
  const [chosenMines, setMines] = useChoice(FIRST_MINES)
  const [picked, pick] = useChoice<number[]>([])
  const { game: open, config } = useStore(desk)
  const shown = useShown('mines')
  const isByTile = mode === 'tile by tile'
  const game = isByTile ? open : null
  const mines = game?.mines ?? chosenMines
  const toggle = (tile: number) =>
    pick(picked.includes(tile) ? picked.filter((each) => each !== tile) : [...picked, tile])
  const randomCount = Math.min(RANDOM_PICKS, TILES - mines)
  const meta = shown?.meta ?? null
  const cells = Array.from({ length: TILES }, (_, tile): Cell => {
    if (game) return openCell(tile, game)
    const isPicked = isByTile ? meta?.picked.includes(tile) === true : picked.includes(tile)
    return cellOf(tile, isPicked, meta, shown?.nonce)
  })
  const turns: Turns = {
    verb: 'Start',
    begin: (stake) => void openGame(mines, stake),
    odds: <TileOdds game={game} mines={mines} edgeBps={config?.edgeBps ?? null} />,
    running: game && running(game),
  }
  useHotkeys(
    isByTile ? [{ key: 'r', does: 'Pick a random tile', press: () => void pickRandomTile() }] : [],
  )
  return (
    <Game
      game="mines"
      chosen={chosenOf(mines, picked)}
      turns={isByTile ? turns : undefined}
      picture={
        <Board
          label="Tiles"
          width={WIDTH}
          cells={cells}
          onPress={isByTile ? (tile) => void pickTile(tile) : toggle}
        />
      }
      revealMs={REVEAL_MS}
    >
      <Choice label="Picks" options={MODES} value={mode} onChoose={setMode} />
      <Slider
        label="Mines"
        min={1}
        max={TILES - 1}
        value={mines}
        isLocked={game !== null}
        onChange={setMines}
      />
      {isByTile ? (
        <div class="quick">
          <button
            type="button"
            aria-disabled={game ? 'false' : 'true'}
            onClick={() => void pickRandomTile()}
          >
            Pick a random tile
          </button>
        </div>
      ) : (
        <QuickPicks
          count={picked.length}
          randomCount={randomCount}
          onRandom={() => pick(randomPicks(TILES, randomCount))}
          onClear={() => pick([])}
        />
      )}
    </Game>
  )
}

/** The open game as the form's button shows it. */
function running(game: MinesGame): Turns['running'] {
  const { token, payout, multiplier, next } = game
  const isReady = game.picked.length > 0
  const more = next === null ? '' : `, next tile ${showMultiplier(next)}`
  return {
    stake: { token, amountWei: BigInt(game.amountWei) },
    label: isReady ? `Cash out ${shortAmount(payout, token)} ${token}` : 'Pick a tile',
    note: isReady ? `At ${showMultiplier(multiplier)}${more}` : 'Cash out after any safe one',
    isReady,
    act: () => void cashOutGame(),
  }
}

function chosenOf(mines: number, picked: number[]): Chosen {
  if (picked.length === 0) return 'Pick at least one tile.'
  const most = TILES - mines
  if (picked.length <= most) return { game: 'mines', params: { mines, picked } }
  return `With ${mines} mines, pick at most ${most} ${most === 1 ? 'tile' : 'tiles'}.`
}

function openCell(tile: number, { picked, nonce }: MinesGame): Cell {
  if (!picked.includes(tile)) return cellOf(tile, false, null)
  return cellOf(tile, true, { mines: [], picked: [...picked] }, nonce)
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
