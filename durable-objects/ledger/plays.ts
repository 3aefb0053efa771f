import { invariant } from '../../src/core/invariant.ts'
import { refuse, type Refusal } from '../../src/core/refusal.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import {
  checkPlay,
  playPostings,
  type NextPlay,
  type PlayRequest,
  type StoredPlay,
} from '../../src/games/placement.ts'
import { settle } from '../../src/games/play.ts'
import { playOf, playText, recordOf, type PlayRecord } from '../../src/games/record.ts'
import { PLAYS_OF_WALLET, savePlays } from '../../src/history/plays.ts'
import { ledgerFull } from '../../src/ledger/capacity.ts'
import { entryRef, type Booked } from '../../src/ledger/journal.ts'
import { isBlank, migrate } from '../kernel/migrations.ts'
import { randomSecret } from '../kernel/random.ts'
import type { Books, LedgerPart } from './books.ts'
import type { Operations } from './operations.ts'

/**
 * One row: the seed of the first play, which may be drawn before the books are opened, and the number up
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

/** A list of the newest plays looks at this many operations at most. */
const NEWEST_LOOK = 1_000

type RecordedPlay = NonNullable<ReturnType<Operations['findPlay']>> & { result: PlayRecord }

/** A stretch of a wallet's plays, for the export. */
export interface ExportedPlays {
  plays: StoredPlay[]
  /** The operation after which the next stretch begins. */
  seq: number
  /** Whether the wallet has made no other play before the time that was asked for. */
  isAll: boolean
}

type Row = { firstSeed: string; toldBelow: number }

interface Drawn extends NextPlay {
  seed: string
}

/** The entropy games of one wallet. Each play is settled under a seed committed to before it. */
export class Plays implements LedgerPart {
  readonly migration = { id: 'plays', sql: TABLES }
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage
  readonly #books: Books
  #next: Drawn | null = null
  /** The newest plays, newest first, once somebody has asked for them. */
  #newest: StoredPlay[] | null = null

  constructor(books: Books) {
    this.#storage = books.storage
    this.#sql = books.storage.sql
    this.#books = books
  }

  /** Commits to the next play. Draws and stores its seed before answering. */
  commit(): NextPlay {
    return shown(this.#drawn())
  }

  /** Returns the commitment of the next play, or null before its seed is drawn. Draws nothing. */
  commitment(): NextPlay | null {
    const next = (this.#next ??= this.#find())
    return next && shown(next)
  }

  /** Returns a settled play by its number, or null before it is played. */
  find(nonce: number): StoredPlay | null {
    return this.#recorded(nonce)?.play ?? null
  }

  /**
   * Returns the newest plays, newest first: those among the wallet's latest thousand operations, because the
   * list is public and must not cost a ledger much.
   */
  newest(): readonly StoredPlay[] {
    this.#newest ??= this.#readNewest()
    return this.#newest
  }

  /** Returns the plays of the next operations after one that were made before a time. */
  exported(after: number, before: number): ExportedPlays {
    const plays: StoredPlay[] = []
    const { operations } = this.#books
    let seq = after
    for (const operation of operations.stretch<PlayRecord>(after + 1, EXPORT_LOOK)) {
      if (operation.at >= before) return { plays, seq, isAll: true }
      const nonce = (operation.head.nextPlay?.nonce ?? 0) - 1
      if (operation.id === operationId(nonce)) plays.push(this.#playOf(nonce, operation))
      seq = operation.seq
    }
    return { plays, seq, isAll: seq >= operations.latest().seq }
  }

  /** Settles a play: debit, outcome, credit, next commitment and result in one transaction. */
  play(request: PlayRequest): Booked<{ play: StoredPlay }> | Refusal {
    if (!this.#books.isOpen) {
      const refusal = checkPlay(request, 0, 0n)
      invariant(refusal, 'a wallet without chips cannot play')
      return refusal
    }
    const next = this.#drawn()
    if (request.nonce !== null && request.nonce < next.nonce) {
      return this.#replay(request.nonce, request)
    }
    const { operations } = this.#books
    const { token, amountWei, clientSeed } = request
    const refusal = checkPlay(request, next.nonce, operations.balances()[token].chips)
    if (refusal) return refusal
    if (this.#books.isFull) return ledgerFull()
    const { nonce, seed, seedHash } = next
    const settled = settle(
      request.selection,
      { token, amountWei },
      { seed, seedHash, clientSeed, nonce },
      request,
    )
    invariant(BigInt(settled.payout) <= request.maxPayout, `play ${nonce} pays above the limit`)
    const at = this.#books.clock.now()
    const after = draw(nonce + 1)
    const play = { ...settled, nextSeedHash: after.seedHash, settledAt: at }
    this.#books.commit(at, () => {
      operations.recordInOrder(
        { id: operationId(nonce), request: playText(request), at },
        { postings: playPostings(settled), result: recordOf(play) },
        { nextPlay: { nonce: after.nonce, seed: after.seed } },
      )
    })
    this.#next = after
    if (this.#newest) this.#newest = [play, ...this.#newest].slice(0, PLAYS_OF_WALLET)
    return { play, entry: entryRef(operations.latest()) }
  }

  /** Sends the feed the plays it should keep but may not have. */
  async tell(): Promise<void> {
    const { env, wallet } = this.#books
    for (let plays = this.#untold(); plays.length > 0; plays = this.#untold()) {
      await savePlays(
        env.HISTORY,
        plays.map((play) => ({ wallet, ...play })),
      )
      this.#told(Math.max(...plays.map(({ nonce }) => nonce)) + 1)
    }
  }

  /** Returns the numbers of the plays that the feed should keep, oldest first. */
  get kept(): number[] {
    const played = this.#books.operations.latest().nextPlay?.nonce ?? 0
    const from = Math.max(0, played - PLAYS_OF_WALLET)
    return Array.from({ length: played - from }, (_, index) => from + index)
  }

  /** Sends the feed some plays again. */
  async tellAgain(plays: readonly StoredPlay[]): Promise<void> {
    const { env, wallet } = this.#books
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
    return this.kept.filter((nonce) => nonce >= toldBelow).map((nonce) => this.#stored(nonce).play)
  }

  /** Records that the feed has all plays below a number. */
  #told(below: number): void {
    this.#sql.exec('UPDATE plays SET told_below = ?', below)
  }

  forget(): void {
    this.#next = null
    this.#newest = null
  }

  #readNewest(): StoredPlay[] {
    const plays: StoredPlay[] = []
    for (const operation of this.#books.operations.newest<PlayRecord>(NEWEST_LOOK)) {
      const nonce = (operation.head.nextPlay?.nonce ?? 0) - 1
      if (operation.id === operationId(nonce)) plays.push(this.#playOf(nonce, operation))
      if (plays.length === PLAYS_OF_WALLET) break
    }
    return plays
  }

  #replay(nonce: number, request: PlayRequest): Booked<{ play: StoredPlay }> | Refusal {
    const stored = this.#stored(nonce)
    if (stored.request === playText(request)) return stored
    return refuse(
      'idempotency_conflict',
      `You made another play with the nonce ${nonce}. Use the next one.`,
    )
  }

  #stored(nonce: number): Booked<{ play: StoredPlay }> & { request: string } {
    const stored = this.#recorded(nonce)
    invariant(stored, `play ${nonce} is in the journal`)
    return stored
  }

  #recorded(nonce: number): (Booked<{ play: StoredPlay }> & { request: string }) | null {
    const found = this.#books.operations.findPlay<PlayRecord>(nonce)
    if (!found) return null
    invariant(found.id === operationId(nonce), `play ${nonce} is where its number says`)
    const { request } = found
    return { request, play: this.#playOf(nonce, found), entry: entryRef(found) }
  }

  #playOf(
    nonce: number,
    { request, result: record, at: settledAt, head, before }: RecordedPlay,
  ): StoredPlay {
    const seed = before.nextPlay?.seed ?? this.#row()?.firstSeed
    invariant(seed !== undefined && head.nextPlay, `play ${nonce} has its seed and the next one`)
    const nextSeedHash = commitmentOf(head.nextPlay.seed)
    return playOf({ nonce, request, seed, record, nextSeedHash, settledAt })
  }

  #drawn(): Drawn {
    return (this.#next ??= this.#find() ?? this.#drawFirst())
  }

  #find(): Drawn | null {
    const next = this.#books.isOpen ? this.#books.operations.latest().nextPlay : null
    const first = next ? null : this.#row()
    const found = next ?? (first && { nonce: 0, seed: first.firstSeed })
    return found && { ...found, seedHash: commitmentOf(found.seed) }
  }

  #row(): Row | null {
    if (isBlank(this.#storage)) return null
    const [row] = this.#sql
      .exec<Row>('SELECT first_seed AS firstSeed, told_below AS toldBelow FROM plays')
      .toArray()
    return row ?? null
  }

  #drawFirst(): Drawn {
    const first = draw(0)
    // The first of a ledger's migrations, so a wallet that never plays costs no other table.
    migrate(this.#storage, [this.migration])
    this.#sql.exec('INSERT INTO plays (id, first_seed, told_below) VALUES (1, ?, 0)', first.seed)
    return first
  }
}

function draw(nonce: number): Drawn {
  const seed = randomSecret()
  return { nonce, seed, seedHash: commitmentOf(seed) }
}

function shown({ nonce, seedHash }: Drawn): NextPlay {
  return { nonce, seedHash }
}

function operationId(nonce: number): string {
  return `entropy:${nonce}`
}
