import { TILES, type MinesMeta } from '../../../games/mines/rule.ts'
import { shortAmount } from '../../amounts.ts'
import { typed } from '../../autobet/typed.ts'
import { useHotkeys } from '../../hotkeys.ts'
import { showMultiplier } from '../../locale.ts'
import { useStore } from '../../store.ts'
import { autobet } from '../autobet.ts'
import type { SelectionOrReason, Turns } from '../bet-form.tsx'
import { Board, type Cell } from '../board.tsx'
import { Choice, Slider } from '../choice.tsx'
import { desk, useChoice, useShown, type ShownGame } from '../desk.ts'
import { Game } from '../game.tsx'
import { QuickPicks, randomPicks } from '../picks.tsx'
import { cashOutGame, openGame, pickRandomTile, pickTile } from './hand.ts'
import { Gem, Mine } from './icons.tsx'
import { TileOdds } from './tile-odds.tsx'
import './mines.css'

const WIDTH = 5
const FIRST_MINES = 3
const RANDOM_PICKS = 5
const FIRST_AUTO_TILES = 3
/** How long the animation in mines.css takes. */
const REVEAL_MS = 300

const PATTERNS = ['random tiles', 'the same tiles'] as const

const MODES = ['tile by tile', 'all at once'] as const

/** Mines: the player opens tile after tile and cashes out, or picks tiles that are revealed at once. */
export default function Mines() {
  const [mode, setMode] = useChoice<(typeof MODES)[number]>('tile by tile')
  const [chosenMines, setMines] = useChoice(FIRST_MINES)
  const [picked, pick] = useChoice<number[]>([])
  const [pattern, setPattern] = useChoice<(typeof PATTERNS)[number]>('random tiles')
  const [autoCount, setAutoCount] = useChoice(FIRST_AUTO_TILES)
  const { game: open, config } = useStore(desk)
  const { isAuto } = useStore(typed)
  const shown = useShown('mines')
  const isByTile = mode === 'tile by tile'
  const game = isByTile ? open : null
  const mines = game?.mines ?? chosenMines
  const toggle = (tile: number) =>
    pick(picked.includes(tile) ? picked.filter((each) => each !== tile) : [...picked, tile])
  const randomCount = Math.min(RANDOM_PICKS, TILES - mines)
  const meta = shown?.meta ?? null
  const isAutoByTile = isByTile && isAuto && autobet.isAllowed()
  const isPatternShown = isAutoByTile && !game && pattern === 'the same tiles'
  const mostTiles = TILES - mines
  const cells = Array.from({ length: TILES }, (_, tile): Cell => {
    if (game) return openCell(tile, game)
    const isChosen = !isByTile || (isPatternShown && !meta)
    const isPicked = isChosen ? picked.includes(tile) : meta?.picked.includes(tile) === true
    return cellOf(tile, isPicked, meta, shown?.nonce)
  })
  const turns: Turns = {
    verb: 'Start',
    begin: (stake) => void openGame(mines, stake),
    odds: <TileOdds game={game} mines={mines} edgeBps={config?.edgeBps ?? null} />,
    auto:
      pattern === 'random tiles'
        ? { game: 'tiles', mines, tiles: { kind: 'random', count: Math.min(autoCount, mostTiles) } }
        : theseTiles(mines, picked),
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
          onPress={isByTile && !isPatternShown ? (tile) => void pickTile(tile) : toggle}
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
      {isAutoByTile && !game && (
        <Choice label="Pick" options={PATTERNS} value={pattern} onChoose={setPattern} />
      )}
      {isAutoByTile && !game && pattern === 'random tiles' && (
        <Slider
          label="Tiles before cashing out"
          min={1}
          max={mostTiles}
          value={Math.min(autoCount, mostTiles)}
          onChange={setAutoCount}
        />
      )}
      {isByTile && (game || !isAutoByTile) && (
        <div class="quick">
          <button
            type="button"
            aria-disabled={game ? 'false' : 'true'}
            onClick={() => void pickRandomTile()}
          >
            Pick a random tile
          </button>
        </div>
      )}
      {(!isByTile || isPatternShown) && (
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

/** A pattern that automatic bets pick in every game. */
function theseTiles(mines: number, picked: number[]): Turns['auto'] {
  const chosen = chosenOf(mines, picked)
  if (typeof chosen === 'string') return chosen
  return { game: 'tiles', mines, tiles: { kind: 'these', picked } }
}

/** The open game as the form's button shows it. */
function running(game: ShownGame): Turns['running'] {
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

function chosenOf(mines: number, picked: number[]): SelectionOrReason {
  if (picked.length === 0) return 'Pick at least one tile.'
  const most = TILES - mines
  if (picked.length <= most) return { game: 'mines', params: { mines, picked } }
  return `With ${mines} mines, pick at most ${most} ${most === 1 ? 'tile' : 'tiles'}.`
}

function openCell(tile: number, { picked, nonce }: ShownGame): Cell {
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
