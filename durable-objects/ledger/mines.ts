import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import {
  checkOpen,
  endPostings,
  refuseOpenGame,
  MAX_OPEN_MS,
  openPostings,
  openText,
  heldPayoutOf,
  pickPostings,
  shownEnd,
  shownGame,
  type MinesGame,
  type OpenRequest,
} from '../../src/games/mines/open.ts'
import { maxPicksOf } from '../../src/games/mines/rule.ts'
import type { StoredPlay } from '../../src/games/play-request.ts'
import { settle } from '../../src/games/play.ts'
import { playText } from '../../src/games/record.ts'
import { LEDGER_FULL } from '../../src/ledger/capacity.ts'
import type { HeldGame } from '../../src/ledger/head.ts'
import { entryRef, type WithEntry, type EntryRef, type TakenRef } from '../../src/ledger/journal.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { refusedWithoutChips } from '../../src/ledger/refusals.ts'
import { logFault } from '../../src/log.ts'
import { checkNotClosed, type KnownModes } from '../../src/operator/modes.ts'
import type { Gate } from './gate.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Limits } from './limits.ts'
import { nonceTaken, type FoundPlay, type Plays } from './plays.ts'

/** A game as it was opened. */
export type OpenedGame = WithEntry<{ game: MinesGame }, TakenRef>

/** A game after a pick. */
export type GameStep = WithEntry<
  {
    game: MinesGame
    /** Whether the step was a mine. */
    hit: boolean
    /** The disclosed play once the game has ended; null before. */
    play: StoredPlay | null
  },
  TakenRef
>

/** A game that has ended. */
interface EndedGame extends FoundPlay {
  /** Before its last step. */
  game: HeldGame
  picked: readonly number[]
}

/** The game of mines that a wallet picks tile by tile: one at a time, resumed from any device. */
export class Mines implements LedgerPart {
  readonly #kernel: LedgerKernel
  readonly #plays: Plays
  readonly #gate: Gate
  readonly #limits: Limits

  constructor(kernel: LedgerKernel, parts: { plays: Plays; gate: Gate; limits: Limits }) {
    this.#kernel = kernel
    this.#plays = parts.plays
    this.#gate = parts.gate
    this.#limits = parts.limits
  }

  nextDueAt(): number | null {
    const game = this.#held
    return game && game.openedAt + MAX_OPEN_MS
  }

  /** Returns the open game; null without one. */
  get open(): MinesGame | null {
    const game = this.#held
    return game && shownGame(game)
  }

  /** Opens a game under the commitment of the next play, and holds its stake. */
  begin(request: OpenRequest): OpenedGame | Refusal {
    if (!this.#kernel.isOpen) return refusedWithoutChips(checkOpen(request, 0, 0n))
    const next = this.#plays.drawn()
    if (request.nonce !== null && request.nonce < next.nonce) {
      return this.#beginAgain(request.nonce, request)
    }
    if (this.#held) return refuseOpenGame(this.#held)
    const { journal, clock } = this.#kernel
    const { token, amountWei, mines, clientSeed, edgeBps, tables, terms, modes } = request
    const at = clock.now()
    const refusal =
      this.#plays.tooEarly(request, at) ??
      this.#gate.refusal({ token, amountWei, at, name: 'mines', modes }) ??
      checkOpen(request, next.nonce, journal.balances()[token].chips)
    if (refusal) return refusal
    if (this.#kernel.isFull) return LEDGER_FULL
    const { nonce, seed } = next
    const after = this.#plays.drawAfter(next)
    const game: HeldGame = {
      nonce,
      seed,
      nextSeedHash: after.seedHash,
      clientSeed,
      token,
      amountWei,
      mines,
      // The player learns it before the board: otherwise the house could choose it by the board.
      maxPicks: request.maxPicks ?? maxPicksOf(request),
      picked: [],
      edgeBps,
      tables,
      terms,
      openedAt: at,
    }
    const entry = this.#kernel.recordInOrder(
      { id: operationId('mines', nonce), request: openText(request), at, terms },
      { postings: openPostings(game), result: 'open' },
      {
        openGame: game,
        nextPlay: { nonce: after.nonce, seed: after.seed },
        ...this.#limits.staked(at),
      },
    )
    this.#plays.follow(after)
    return openedOf(game, entry)
  }

  /** Picks a tile. A mine ends the game, and so does the last pick, which cashes it out. */
  pick(nonce: number, tile: number, modes: KnownModes): GameStep | Refusal {
    const game = this.#held
    if (game?.nonce !== nonce || game.picked.includes(tile)) return this.#pickAgain(nonce, tile)
    const switches = this.#gate.switches('mines', game.token)
    const closed = checkNotClosed(modes, switches, this.#kernel.clock.now())
    if (closed) return closed
    if (this.#limits.exclusion()) {
      // The exclusion was taken over by a refused restore: any other one would have ended the game.
      this.endOpen()
      return noOpenGame(nonce)
    }
    const picked = [...game.picked, tile]
    const play = this.#played(game, picked)
    if (!play.win || picked.length === game.maxPicks) return this.#end(game, picked, play)
    const after = { ...game, picked }
    const at = this.#kernel.clock.now()
    const entry = this.#kernel.recordInOrder(
      { id: operationId('pick', nonce, tile), request: '', at },
      { postings: pickPostings(game, after), result: 'safe' },
      { openGame: after },
    )
    return stepOf(after, entry)
  }

  /** Ends a game after one pick or more, and pays it. A repeated call gets the same answer. */
  cashOut(nonce: number): WithEntry<{ play: StoredPlay }, TakenRef> | Refusal {
    const game = this.#held
    if (game?.nonce === nonce) {
      if (game.picked.length === 0) return PICK_FIRST
      const { play, entry } = this.#end(game, game.picked)
      return { play, entry }
    }
    const found = this.#found(nonce)
    if (isRefusal(found)) return found
    if (!found.play.win) return noOpenGame(nonce)
    if (found.picked.length === 0) return PICK_FIRST
    return { play: found.play, entry: taken(found.game, found.entry) }
  }

  /** Ends the open game, if any: pays its picks, or returns the stake of a game without picks. */
  endOpen(): void {
    if (!this.#held) return
    const { play } = this.#end(this.#held, this.#held.picked)
    // No call answers with this play, so nothing else sends it to the feed within seconds.
    this.#plays
      .tellAgain([play])
      .catch((fault) =>
        logFault('ended_game_not_told', fault, { object: this.#kernel.owner.object }),
      )
  }

  /** Ends a game that has been open for a day. */
  endExpired(): void {
    const dueAt = this.nextDueAt()
    if (dueAt !== null && dueAt <= this.#kernel.clock.now()) this.endOpen()
  }

  get #held(): HeldGame | null {
    return this.#kernel.isOpen ? this.#kernel.journal.latest().openGame : null
  }

  #end(game: HeldGame, picked: readonly number[], play = this.#played(game, picked)) {
    const payout = BigInt(play.payout)
    const due = play.win ? heldPayoutOf({ ...game, picked }) : 0n
    invariant(payout === due, `game ${game.nonce} pays ${payout}, not ${due}`)
    const request = playText({ ...game, selection: choiceOf(game, picked) })
    const postings = endPostings(game, picked.length, payout)
    const entry = this.#plays.book(play, { request, postings, change: { openGame: null } })
    return { ...this.#ended({ ...game, picked }, play), entry: taken(game, entry) }
  }

  #ended(game: HeldGame, play: StoredPlay) {
    return { game: shownEnd(game, !play.win), hit: !play.win, play }
  }

  /** Returns the play that a game would end as with these picks. */
  #played(game: HeldGame, picked: readonly number[]): StoredPlay {
    const { seed, nextSeedHash, clientSeed, nonce } = game
    const settled = settle(
      choiceOf(game, picked),
      game,
      { seed, seedHash: commitmentOf(seed), clientSeed, nonce },
      game,
    )
    return { ...settled, nextSeedHash, settledAt: this.#kernel.clock.now() }
  }

  #beginAgain(nonce: number, request: OpenRequest): OpenedGame | Refusal {
    const found = this.#kernel.journal.findBegin(nonce)
    invariant(found, `play ${nonce} is in the journal`)
    const game = found.head.openGame
    if (game?.nonce !== nonce || found.request !== openText(request)) return nonceTaken(nonce)
    return openedOf(game, entryRef(found))
  }

  /** Repeats the answer to an earlier pick. */
  #pickAgain(nonce: number, tile: number): GameStep | Refusal {
    const picks = this.#picksOf(nonce)
    if (isRefusal(picks)) return picks
    const index = picks.indexOf(tile)
    if (index === -1) return noOpenGame(nonce)
    const step = this.#kernel.journal.firstStep(({ nextPlay, openGame }) => {
      const isOpen = openGame?.nonce === nonce
      return (nextPlay?.nonce ?? 0) > nonce && (!isOpen || openGame.picked.length > index)
    })
    invariant(step, `pick ${index} of game ${nonce} is in the journal`)
    const after = step.head.openGame
    if (after?.nonce === nonce) return stepOf(after, entryRef(step))
    const held = step.before.openGame
    const play = this.#plays.find(nonce)
    invariant(held?.nonce === nonce && play, `game ${nonce} ended with its last pick`)
    return { ...this.#ended({ ...held, picked: picks }, play), entry: taken(held, entryRef(step)) }
  }

  /** Returns all picks of a game, open or ended. */
  #picksOf(nonce: number): readonly number[] | Refusal {
    if (this.#held?.nonce === nonce) return this.#held.picked
    const found = this.#found(nonce)
    return isRefusal(found) ? found : found.picked
  }

  /** Returns a game that has ended. */
  #found(nonce: number): EndedGame | Refusal {
    const found = this.#kernel.isOpen ? this.#plays.recorded(nonce) : null
    if (!found?.game) return noOpenGame(nonce)
    const { play, game } = found
    invariant(play.game === 'mines', `game ${nonce} is one of mines`)
    return { ...found, game, picked: play.meta.picked }
  }
}

/** Returns where a step of a game stands, under the terms that the game began with. */
function taken({ terms }: HeldGame, entry: EntryRef): TakenRef {
  return { ...entry, terms }
}

function openedOf(game: HeldGame, entry: EntryRef): OpenedGame {
  return { game: shownGame(game), entry: taken(game, entry) }
}

function stepOf(game: HeldGame, entry: EntryRef): GameStep {
  return { ...openedOf(game, entry), hit: false, play: null }
}

function choiceOf({ mines }: HeldGame, picked: readonly number[]) {
  return { game: 'mines' as const, params: { mines, picked: [...picked] } }
}

const PICK_FIRST = refuse('invalid_request', 'Pick a tile before you cash out.')

function noOpenGame(nonce: number): Refusal {
  const message = `You have no open game of mines with the nonce ${nonce}. Look up its result by this nonce, or open another game.`
  return refuse('no_open_game', message)
}
