import { invariant } from '../../src/core/invariant.ts'
import { refuse, type Refusal } from '../../src/core/refusal.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import {
  checkPlay,
  playPostings,
  refuseTooEarly,
  type NextPlay,
  type PlayRequest,
  type StoredPlay,
} from '../../src/games/play-request.ts'
import { settle } from '../../src/games/play.ts'
import { playOf, playText, recordOf, type PlayRecord } from '../../src/games/record.ts'
import { PLAYS_OF_WALLET, savePlays } from '../../src/history/plays.ts'
import type { Posting } from '../../src/ledger/accounts.ts'
import { LEDGER_FULL } from '../../src/ledger/capacity.ts'
import type { Head, HeldGame } from '../../src/ledger/head.ts'
import { entryRef, type WithEntry, type EntryRef, type TakenRef } from '../../src/ledger/journal.ts'
import { idPrefix, operationId, partsOfId } from '../../src/ledger/operation.ts'
import { refusedWithoutChips } from '../../src/ledger/refusals.ts'
import { isBlank, migrate } from '../kernel/migrations.ts'
import { randomSecret } from '../kernel/random.ts'
import { firstRow } from '../kernel/rows.ts'
import type { Gate } from './gate.ts'
import type { HeadChange, Transition } from './journal.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Limits } from './limits.ts'

/**
 * One row: the seed of the first play, which may be drawn before the ledger is opened, and the number up
 * to which D1 has the plays. The seeds of later plays are in the journal's heads.
 */
const TABLES = `
  CREATE TABLE plays (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    first_seed TEXT NOT NULL,
    told_below INTEGER NOT NULL
  ) STRICT;
`

/** The export looks at this many operations at a time. */
const EXPORT_LOOK = 1_000

/** A list of the newest plays looks at this many operations at most; a game of mines has up to 26. */
const NEWEST_LOOK = 3_000

/** The plays to be listed. */
export interface PlaysQuery {
  /** Null for all games. */
  game: string | null
  limit: number
}

/** The entry of a settled play. */
interface Booking {
  /** The text of {@link playText}. */
  request: string
  /** The hash of its terms; absent for a game, which keeps the terms that it began with. */
  terms?: string
  postings: Posting[]
  change: HeadChange
}

/** A settled play where its journal has it. */
export type FoundPlay = WithEntry<{ play: StoredPlay }> & {
  request: string
  /** The game before its last step, if its player picked it tile by tile. */
  game: HeldGame | null
}

/** A play, and the hash of the terms that it was made under; null if its ledger has none recorded. */
export type ExportedPlay = StoredPlay & { terms: string | null }

/** A stretch of a wallet's plays, for the export. */
export interface ExportedPlays {
  plays: ExportedPlay[]
  /** The operation after which the next stretch begins. */
  seq: number
  /** Whether the wallet has made no other play before the requested time. */
  isAll: boolean
  /** The number of the game of mines that was open at that time, which is not a play yet; null without one. */
  openGame: number | null
}

type Row = { firstSeed: string; toldBelow: number }

/** The next play with its seed, which must stay secret until it is settled. */
interface NextPlayWithSeed extends NextPlay {
  seed: string
}

/** The entropy games of one wallet. Each play is settled under a seed committed to before it. */
export class Plays implements LedgerPart {
  readonly migration = { id: 'plays', sql: TABLES }
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage
  readonly #kernel: LedgerKernel
  readonly #gate: Gate
  readonly #limits: Limits
  readonly waking = {
    expression: () => '(SELECT first_seed FROM plays)',
    take: (seed: string | null) => {
      this.#first = seed
    },
  }
  #first: string | null = null
  #next: NextPlayWithSeed | null = null
  /** The requested lists of newest plays, newest first: of all games under null, and of single games. */
  readonly #newest = new Map<string | null, readonly StoredPlay[]>()

  constructor(kernel: LedgerKernel, parts: { gate: Gate; limits: Limits }) {
    this.#storage = kernel.storage
    this.#sql = kernel.storage.sql
    this.#kernel = kernel
    this.#gate = parts.gate
    this.#limits = parts.limits
  }

  /** Commits to the next play. Draws and stores its seed before answering. */
  commit(): NextPlay {
    return shown(this.drawn())
  }

  /** Returns the commitment of the next play, or null before its seed is drawn. Draws nothing. */
  commitment(): NextPlay | null {
    const next = (this.#next ??= this.#find())
    return next && shown(next)
  }

  /** Returns a settled play by its number, or null before it is played. */
  find(nonce: number): StoredPlay | null {
    return this.recorded(nonce)?.play ?? null
  }

  /**
   * Returns the newest plays of a query, newest first: those among the wallet's latest three thousand operations,
   * because the list is public and must not cost a ledger much.
   */
  newest({ game, limit }: PlaysQuery): StoredPlay[] {
    const newest = this.#newest.get(game) ?? this.#readNewest(game)
    this.#newest.set(game, newest)
    return newest.slice(0, limit)
  }

  /** Returns the plays of the next operations after one that were made before a time. */
  exported(after: number, before: number): ExportedPlays {
    const plays: ExportedPlay[] = []
    const { journal } = this.#kernel
    let seq = after
    for (const operation of journal.stretch<PlayRecord>(after + 1, EXPORT_LOOK)) {
      if (operation.at >= before) return { plays, seq, isAll: true, openGame: this.#openAt(seq) }
      if (isPlay(operation)) {
        // A game picked tile by tile keeps the terms that it began with.
        const terms = endedBy(operation)?.terms ?? journal.terms.of(operation.seq)
        plays.push({ ...this.#playOf(operation), terms })
      }
      seq = operation.seq
    }
    return { plays, seq, isAll: seq >= journal.latest().seq, openGame: this.#openAt(seq) }
  }

  #openAt(seq: number): number | null {
    return this.#kernel.journal.headAt(seq).openGame?.nonce ?? null
  }

  /** Settles a play: debit, outcome, credit, next commitment and result in one transaction. */
  play(request: PlayRequest): WithEntry<{ play: StoredPlay }, TakenRef> | Refusal {
    if (!this.#kernel.isOpen) return refusedWithoutChips(checkPlay(request, 0, 0n))
    const next = this.drawn()
    if (request.nonce !== null && request.nonce < next.nonce) {
      return this.#replay(request.nonce, request)
    }
    const { journal } = this.#kernel
    const { token, amountWei, clientSeed, modes, selection } = request
    const at = this.#kernel.clock.now()
    const refusal =
      this.tooEarly(request, at) ??
      this.#gate.refusal({ token, amountWei, at, name: selection.game, modes }) ??
      checkPlay(request, next.nonce, journal.balances()[token].chips)
    if (refusal) return refusal
    if (this.#kernel.isFullForPlay) return LEDGER_FULL
    const { nonce, seed, seedHash } = next
    const settled = settle(
      request.selection,
      { token, amountWei },
      { seed, seedHash, clientSeed, nonce },
      request,
    )
    invariant(BigInt(settled.payout) <= request.maxPayout, `play ${nonce} pays above the limit`)
    const after = this.drawAfter(next)
    const play = { ...settled, nextSeedHash: after.seedHash, settledAt: at }
    const booking = {
      request: playText(request),
      terms: request.terms,
      postings: playPostings(settled),
      change: {
        nextPlay: { nonce: after.nonce, seed: after.seed },
        ...this.#limits.staked(at),
      },
    }
    const entry = this.book(play, booking)
    this.follow(after)
    return { play, entry: journal.withTerms(entry, request.terms) }
  }

  /** Draws the seed of the play after one. The caller stores it in the head, then calls {@link follow}. */
  drawAfter({ nonce }: NextPlay): NextPlayWithSeed {
    return draw(nonce + 1)
  }

  /** Goes on with a drawn play that is stored. */
  follow(next: NextPlayWithSeed): void {
    this.#next = next
  }

  /** Records a settled play. */
  book(play: StoredPlay, { request, terms, postings, change }: Booking): EntryRef {
    const { nonce, settledAt: at } = play
    const entry = this.#kernel.recordInOrder(
      { id: operationId('entropy', nonce), request, at, ...(terms !== undefined && { terms }) },
      { postings, result: recordOf(play) },
      change,
    )
    for (const game of [null, play.game]) {
      const newest = this.#newest.get(game)
      if (newest) this.#newest.set(game, [play, ...newest].slice(0, PLAYS_OF_WALLET))
    }
    return entry
  }

  /** Sends the feed the plays it should keep but may not have. */
  async project(): Promise<void> {
    const plays = this.#untold()
    if (plays.length === 0) return
    const open = this.#kernel.journal.latest().openGame
    await this.tellAgain(plays)
    // An open game reaches the feed only once it has ended. Until then the plays after it are sent again.
    const told = Math.max(...plays.map(({ nonce }) => nonce)) + 1
    this.#told(Math.min(told, open?.nonce ?? Infinity))
  }

  /** Returns the numbers of the plays that the feed should keep, oldest first. */
  get kept(): number[] {
    const played = this.#kernel.journal.latest().nextPlay?.nonce ?? 0
    const from = Math.max(0, played - PLAYS_OF_WALLET)
    return Array.from({ length: played - from }, (_, index) => from + index)
  }

  /** Sends the feed some plays again. */
  async tellAgain(plays: readonly StoredPlay[]): Promise<void> {
    const { env, wallet } = this.#kernel
    await savePlays(
      env.HISTORY,
      plays.map((play) => ({ wallet, ...play })),
    )
  }

  /** Returns the number up to which the feed has the plays it should keep. */
  toldBelow(): number {
    return this.#row()?.toldBelow ?? 0
  }

  /** Returns the plays the feed should keep but may not have, oldest first. */
  #untold(): StoredPlay[] {
    const toldBelow = this.toldBelow()
    const untold = this.kept.filter((nonce) => nonce >= toldBelow)
    return untold.flatMap((nonce) => this.find(nonce) ?? [])
  }

  /** Records that the feed has all plays below a number. An earlier answer of D1 may come after a later one. */
  #told(below: number): void {
    this.#sql.exec('UPDATE plays SET told_below = max(told_below, ?)', below)
  }

  forget(): void {
    this.#first = null
    this.#next = null
    this.#newest.clear()
  }

  /** Refuses a play or game sooner than the deployment allows after the last one. */
  tooEarly({ minPlayMs }: Pick<PlayRequest, 'minPlayMs'>, now: number): Refusal | null {
    if (minPlayMs === 0) return null
    for (const { at, head, before } of this.#kernel.journal.newest(NEWEST_LOOK)) {
      if (at + minPlayMs <= now) break
      if (head.nextPlay?.nonce !== before.nextPlay?.nonce) return refuseTooEarly(at + minPlayMs)
    }
    return null
  }

  #readNewest(game: string | null): StoredPlay[] {
    const begins = { id: idPrefix('entropy'), request: game === null ? '' : `["${game}",` }
    const { journal } = this.#kernel
    const found = journal.newestOf<PlayRecord>(NEWEST_LOOK, PLAYS_OF_WALLET, begins)
    return [...found].map((operation) => this.#playOf(operation))
  }

  #replay(
    nonce: number,
    request: PlayRequest,
  ): WithEntry<{ play: StoredPlay }, TakenRef> | Refusal {
    const found = this.recorded(nonce)
    if (found?.request !== playText(request)) return nonceTaken(nonce)
    const { play, game } = found
    const taken = this.#kernel.journal.withTerms(found.entry, request.terms)
    return { play, entry: game ? { ...taken, terms: game.terms } : taken }
  }

  /** Returns a settled play by its number; null before it is made, and while it is an open game. */
  recorded(nonce: number): FoundPlay | null {
    const found = this.#kernel.journal.findPlay<PlayRecord>(nonce)
    // A restored ledger leaves out the numbers of plays that it may have lost.
    if (!found || partsOfId(found.id).kind === 'restored') return null
    invariant(found.id === operationId('entropy', nonce), `play ${nonce} is where its number says`)
    const play = this.#playOf(found)
    return { request: found.request, game: endedBy(found), play, entry: entryRef(found) }
  }

  #playOf({ id, request, result: record, at: settledAt, head, before }: Transition<PlayRecord>) {
    const nonce = Number(partsOfId(id).names[0])
    const { seed, nextSeedHash } =
      before.openGame?.nonce === nonce ? before.openGame : this.#seedsOf(head, before)
    return playOf({ nonce, request, seed, record, nextSeedHash, settledAt })
  }

  /** Returns the seed of a play that was settled at once, and the next commitment. */
  #seedsOf(head: Head, before: Head): { seed: string; nextSeedHash: string } {
    const seed = before.nextPlay?.seed ?? this.#firstSeed()
    invariant(seed !== null && head.nextPlay, 'a play has its seed and the next one')
    return { seed, nextSeedHash: commitmentOf(head.nextPlay.seed) }
  }

  /** Returns the next play, and draws and stores its seed if there is none yet. */
  drawn(): NextPlayWithSeed {
    return (this.#next ??= this.#find() ?? this.#drawFirst())
  }

  #find(): NextPlayWithSeed | null {
    const next = this.#kernel.isOpen ? this.#kernel.journal.latest().nextPlay : null
    const first = next ? null : this.#firstSeed()
    const found = next ?? (first === null ? null : { nonce: 0, seed: first })
    return found && { ...found, seedHash: commitmentOf(found.seed) }
  }

  /** Returns the seed of the first play; null before it is drawn. */
  #firstSeed(): string | null {
    this.#first ??= this.#row()?.firstSeed ?? null
    return this.#first
  }

  #row(): Row | null {
    if (!this.#kernel.isOpen && isBlank(this.#storage)) return null
    const query = 'SELECT first_seed AS firstSeed, told_below AS toldBelow FROM plays'
    return firstRow(this.#sql.exec<Row>(query))
  }

  #drawFirst(): NextPlayWithSeed {
    const first = draw(0)
    // The first of a ledger's migrations, so a wallet that never plays costs no other table.
    migrate(this.#storage, [this.migration])
    this.#sql.exec('INSERT INTO plays (id, first_seed, told_below) VALUES (1, ?, 0)', first.seed)
    return first
  }
}

function draw(nonce: number): NextPlayWithSeed {
  const seed = randomSecret()
  return { nonce, seed, seedHash: commitmentOf(seed) }
}

function shown({ nonce, seedHash }: NextPlayWithSeed): NextPlay {
  return { nonce, seedHash }
}

/** Returns the game before its last step; null for a play. */
function endedBy({ id, before: { openGame } }: Transition<PlayRecord>): HeldGame | null {
  return openGame && id === operationId('entropy', openGame.nonce) ? openGame : null
}

function isPlay(operation: Transition<unknown>): operation is Transition<PlayRecord> {
  return partsOfId(operation.id).kind === 'entropy'
}

/** Refuses another play with the number of one already made. */
export function nonceTaken(nonce: number): Refusal {
  const message = `You made another play with the nonce ${nonce}. Use the next one.`
  return refuse('idempotency_conflict', message)
}
