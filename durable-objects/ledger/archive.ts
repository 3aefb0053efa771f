import { invariant } from '../../src/core/invariant.ts'
import { refuse, type Refusal } from '../../src/core/refusal.ts'
import { emptyBalances } from '../../src/ledger/accounts.ts'
import { ARCHIVE_AFTER_MS } from '../../src/ledger/capacity.ts'
import { unpackHead } from '../../src/ledger/head.ts'
import { GENESIS_HASH } from '../../src/ledger/journal.ts'
import {
  checkSegment,
  entryOfLine,
  lastSeqOf,
  lineOf,
  segmentKey,
  type SegmentEnd,
} from '../../src/ledger/segment.ts'
import { logFault } from '../../src/log.ts'
import { TOKENS } from '../../src/money/token.ts'
import type { Bets } from './bets.ts'
import type { Books } from './books.ts'
import type { Plays } from './plays.ts'
import { SegmentArchived, type Segments } from './segments.ts'

/** The most segments that are fetched for one call. */
const MOST_FETCHES = 4

/** A ledger's report on whether a segment in the archive is right. */
export type SegmentAudit = { ok: true } | { ok: false; problem: string }

/** The part of a wallet's journal that is in R2, a file each segment. */
export class Archive {
  readonly #books: Books
  readonly #segments: Segments
  readonly #bets: Bets
  readonly #plays: Plays
  #isMoving = false

  constructor(books: Books, parts: { bets: Bets; plays: Plays }) {
    this.#books = books
    this.#segments = books.operations.segments
    this.#bets = parts.bets
    this.#plays = parts.plays
  }

  /**
   * Moves the oldest segments to the archive, as far as nothing in them is secret or open. If the archive
   * fails, they stay here and are moved another time.
   */
  async move(): Promise<void> {
    if (this.#isMoving || !this.#books.isOpen) return
    this.#isMoving = true
    let segment = this.#segments.here.first
    try {
      for (; this.#mayMove(segment); segment++) await this.#move(segment)
    } catch (fault) {
      logFault('journal_archive_failed', fault, { wallet: this.#books.wallet, segment })
    } finally {
      this.#isMoving = false
    }
  }

  /** Runs work that may read the journal, again with each segment that it turns out to need from the archive. */
  async reading<T>(work: () => T | Promise<T>): Promise<T | Refusal> {
    for (let fetches = 1; ; fetches++) {
      try {
        return await work()
      } catch (fault) {
        if (!(fault instanceof SegmentArchived) || fetches > MOST_FETCHES) throw fault
        const refusal = await this.#fetch(fault.segment)
        if (refusal) return refusal
      }
    }
  }

  /** Replays an archived segment. Says what is wrong with it, or that the archive does not answer. */
  async verify(segment: number): Promise<SegmentAudit> {
    try {
      await this.#linesOf(segment)
      return { ok: true }
    } catch (fault) {
      return { ok: false, problem: fault instanceof Error ? fault.message : String(fault) }
    }
  }

  /** Fetches a segment and checks it against its neighbours. @throws if it is missing or not what it was */
  async #linesOf(segment: number): Promise<string[]> {
    const end = this.#segments.endAt(lastSeqOf(segment))
    invariant(end, 'an archived segment has entries')
    const file = await this.#books.env.ARCHIVE.get(segmentKey(this.#books.wallet, segment, end))
    invariant(file, `segment ${segment} is in the archive`)
    const text = await new Response(file.body.pipeThrough(new DecompressionStream('gzip'))).text()
    const lines = text.trimEnd().split('\n')
    checkSegment(lines.map(entryOfLine), this.#before(segment), end)
    return lines
  }

  async #fetch(segment: number): Promise<Refusal | null> {
    try {
      this.#segments.keep(segment, await this.#linesOf(segment))
      return null
    } catch (fault) {
      logFault('journal_archive_unavailable', fault, { wallet: this.#books.wallet, segment })
      return refuse(
        'archive_unavailable',
        'This needs older entries of the wallet, and their archive does not answer now. Nothing has changed. Send the same call again later.',
      )
    }
  }

  /** Stores a segment, reads it back, and only then removes it here. Safe to repeat from any point. */
  async #move(segment: number): Promise<void> {
    const end = this.#segments.endAt(lastSeqOf(segment))
    invariant(end, 'a full segment has entries')
    const lines = [...this.#segments.entries(segment, 1)].map(lineOf)
    const file = new Response(`${lines.join('\n')}\n`).body?.pipeThrough(
      new CompressionStream('gzip'),
    )
    await this.#books.env.ARCHIVE.put(
      segmentKey(this.#books.wallet, segment, end),
      await new Response(file).arrayBuffer(),
    )
    await this.#linesOf(segment)
    this.#books.transact(() => this.#segments.drop(segment))
  }

  /** Whether a segment is full and old enough, and nothing in it is open, undisclosed or missing from D1. */
  #mayMove(segment: number): boolean {
    if (segment >= this.#segments.here.last) return false
    const end = this.#segments.endAt(lastSeqOf(segment))
    invariant(end, 'a full segment has entries')
    const { nextPlay, balances } = unpackHead(end.head)
    const { operations, clock } = this.#books
    const isWithdrawing = (all: typeof balances) =>
      TOKENS.some((token) => all[token].withdrawing > 0n)
    return (
      clock.now() - end.at >= ARCHIVE_AFTER_MS &&
      this.#isDisclosed(nextPlay) &&
      this.#bets.open.every(({ placedAt }) => placedAt > end.at) &&
      !(isWithdrawing(balances) && isWithdrawing(operations.balances()))
    )
  }

  /** Whether the play after a segment has been made, and D1 has those before it. */
  #isDisclosed(next: { nonce: number } | null): boolean {
    if (!next) return true
    const latest = this.#books.operations.latest().nextPlay
    return latest !== null && latest.nonce > next.nonce && this.#plays.toldBelow() >= next.nonce
  }

  /** What the journal amounts to before a segment. */
  #before(segment: number) {
    const entries = lastSeqOf(segment - 1)
    const before: SegmentEnd | null = this.#segments.endAt(entries)
    return {
      entries,
      headHash: before?.hash ?? GENESIS_HASH,
      balances: before ? unpackHead(before.head).balances : emptyBalances(),
    }
  }
}
