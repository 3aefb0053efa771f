import { invariant } from '../../src/core/invariant.ts'
import { post, type Balances, type Posting } from '../../src/ledger/accounts.ts'
import { EMPTY_HEAD, packHead, unpackHead, type Head } from '../../src/ledger/head.ts'
import {
  differenceFrom,
  digestOf,
  entryHash,
  GENESIS_HASH,
  linked,
  type EntryPlace,
  type EntryRef,
  type JournalEntry,
  replay,
  type JournalState,
  type StoredEntry,
  type TakenRef,
} from '../../src/ledger/journal.ts'
import { idPrefix } from '../../src/ledger/operation.ts'
import { lastSeqOf, segmentOf, type SegmentEnd } from '../../src/ledger/segment.ts'
import { addToTotals } from '../../src/ledger/totals.ts'
import type { Part } from '../kernel/kernel.ts'
import { HeadHistory } from './head-history.ts'
import { Ids } from './ids.ts'
import { SegmentArchived, Segments } from './segments.ts'
import { TermsHistory } from './terms.ts'

/** An operation: its id, the canonical text of its request, and its time in unix milliseconds. */
export interface Operation {
  id: string
  request: string
  at: number
  /** The hash of the terms of play in force for its caller; absent if no receipt names them. */
  terms?: string
}

/** An operation's decision: its postings, and the answer for this call and every repetition. */
export interface Decision<Result> {
  postings: Posting[]
  result: Result
}

/** The fields of the head that an operation sets. Balances and totals follow from its postings. */
export type HeadChange = Partial<Omit<Head, 'balances' | 'totals'>>

/** An operation in the journal. */
interface Recorded<Result> extends Operation, EntryPlace {
  result: Result
  /** The state after it. */
  head: Head
}

/** An operation with the journal's state before it. */
export interface Transition<Result> extends Recorded<Result> {
  before: Head
}

/** The latest entry, and the state after it. */
interface Latest extends Head {
  seq: number
  hash: string
  at: number
}

/**
 * The part of an entry that the service log may show. Its request, its result and its head, which has a seed, stay
 * secret.
 */
export interface AppendedEntry extends EntryPlace {
  operationId: string
  postings: Posting[]
}

/** The entries that {@link Journal.linkedAfter} returns at a time. */
const LINKED_PAGE = 500

const NONE: Latest = { ...EMPTY_HEAD, seq: 0, hash: GENESIS_HASH, at: 0 }

/**
 * The journal of one ledger. If a caller's transaction is undone, or its write fails, the state in memory must be
 * dropped. A read of an archived entry throws {@link SegmentArchived}.
 */
export class Journal implements Part {
  readonly ids: Ids
  readonly segments: Segments
  readonly terms: TermsHistory
  #latest: Latest | null = null
  /** The entries that were appended since the last {@link takeAppended}. */
  #appended: AppendedEntry[] = []
  readonly #past: HeadHistory

  constructor(sql: SqlStorage) {
    this.segments = new Segments(sql)
    this.terms = new TermsHistory(sql)
    this.#past = new HeadHistory(this.segments)
    this.ids = new Ids(sql)
  }

  /** Records an operation under an id from outside, for {@link find}. The id must be unused. */
  record<Result>(
    operation: Operation,
    decision: Decision<Result>,
    change: HeadChange = {},
  ): Result {
    const seq = this.recordInOrder(operation, decision, change)
    this.ids.add(operation.id, seq)
    return decision.result
  }

  /** Returns whether {@link recordInOrder} makes a single write, for its entry alone. */
  isOneWrite({ terms }: Operation): boolean {
    const isFollowed = terms === undefined || this.terms.latest() === terms
    return isFollowed && this.segments.hasTableFor(this.latest().seq + 1)
  }

  /** Returns whether an id from outside is used. */
  has(id: string): boolean {
    return this.ids.seqOf(id) !== null
  }

  /** Returns an operation with an id from outside as it was recorded, or null if the id is unused. */
  find<Result>(id: string): Recorded<Result> | null {
    const seq = this.ids.seqOf(id)
    return seq === null ? null : recorded<Result>(this.segments.entry(seq))
  }

  /** Returns when an operation with an id from outside was recorded; null if its id is unused, or it is archived. */
  timeOf(id: string): number | null {
    const seq = this.ids.seqOf(id)
    const isHere = seq !== null && segmentOf(seq) >= this.segments.here.first
    return isHere ? this.segments.entry(seq).at : null
  }

  /** Returns the operation that settled a play, with the head before it; null if the play isn't settled. */
  findPlay<Result>(nonce: number): Transition<Result> | null {
    return this.firstStep((head) => hasBegun(head, nonce) && head.openGame?.nonce !== nonce)
  }

  /** Returns the operation that settled a play or opened it as a game; null before. */
  findBegin<Result>(nonce: number): Recorded<Result> | null {
    return this.first((head) => hasBegun(head, nonce))
  }

  /**
   * Returns operations that are here, newest first, each with the head before it.
   * @param count the largest number of them
   * @param look how many the first query reads
   */
  *newest<Result>(count: number, look?: number): Generator<Transition<Result>> {
    let later: StoredEntry | null = null
    let looked = 0
    for (const entry of this.segments.newest(look)) {
      if (later) yield { ...recorded<Result>(later), before: unpackHead(entry.head) }
      if (looked++ === count) return
      later = entry
    }
    if (!later) return
    yield { ...recorded<Result>(later), before: this.headAt(later.seq - 1) }
  }

  /**
   * Like {@link newest}, but returns only operations whose id and request begin with given texts. The database filters
   * the entries, so the others cost little.
   * @param looked the number of newest entries to search
   */
  *newestOf<Result>(
    looked: number,
    count: number,
    prefixes: Pick<Operation, 'id' | 'request'>,
  ): Generator<Transition<Result>> {
    const after = this.latest().seq - looked
    for (const { entry, before } of this.segments.newestOf(after, count, prefixes)) {
      const head = before ? unpackHead(before) : this.headAt(entry.seq - 1)
      yield { ...recorded<Result>(entry), before: head }
    }
  }

  /**
   * Returns operations of one segment in order, from a number on, each with the head before it.
   * @param count the largest number of them
   */
  *stretch<Result>(seq: number, count: number): Generator<Transition<Result>> {
    if (seq > this.latest().seq) return
    let before = this.headAt(seq - 1)
    for (const entry of this.segments.entries(segmentOf(seq), seq, count)) {
      const operation = recorded<Result>(entry)
      yield { ...operation, before }
      before = operation.head
    }
  }

  /** Returns the first operation whose head has a property; null without one. All later heads must have it, too. */
  first<Result>(has: (head: Head) => boolean): Recorded<Result> | null {
    if (!has(this.latest())) return null
    return recorded<Result>(this.segments.entry(this.#firstSeq(has)))
  }

  /** Like {@link first}, with the head before it. */
  firstStep<Result>(has: (head: Head) => boolean): Transition<Result> | null {
    const found = this.first<Result>(has)
    return found && { ...found, before: this.headAt(found.seq - 1) }
  }

  /** Returns the last head without a property, which {@link first} describes. */
  lastBefore(has: (head: Head) => boolean): Head {
    if (!has(this.latest())) return this.latest()
    return this.headAt(this.#firstSeq(has) - 1)
  }

  /** Returns the journal's head at a time, including the entries of that millisecond. */
  headBy(unixMs: number): Head {
    const latest = this.latest()
    return latest.at <= unixMs ? latest : this.#past.headBy(unixMs, latest.seq)
  }

  /** Preloads the heads for {@link headBy} at some times, in one query unless they lie in several segments. */
  lookBackAt(times: readonly number[]): void {
    if (times.length === 0) return
    const { at, seq } = this.latest()
    this.#past.look(
      [...new Set(times)].filter((time) => time < at),
      seq,
    )
  }

  /**
   * Returns the time of an entry after a given time whose head, unlike the one before it, has a property: of the first,
   * if all later heads have it. The latest must. An archived entry counts as made at its segment's end, to fetch
   * nothing.
   */
  firstAt(afterMs: number, has: (head: Head) => boolean): number {
    const hasThen = ({ at, head }: SegmentEnd) => at > afterMs && has(unpackHead(head))
    const found = this.segments.endAt(this.#firstSeqHere(hasThen))
    invariant(found, 'the latest head has the property')
    return found.at
  }

  /** Returns the latest entry; number 0 before the first. */
  latest(): Latest {
    if (!this.#latest) this.readLatestAnd([])
    return this.#latest ?? NONE
  }

  /** Reads the latest entry, and in the same statement the texts of expressions in SQL; null before the first. */
  readLatestAnd(expressions: readonly string[]): (string | null)[] | null {
    const read = this.segments.latestAnd(expressions)
    if (!read) return null
    const { seq, hash, at, head } = read.entry
    this.#latest = { ...unpackHead(head), seq, hash, at }
    return read.texts
  }

  /** Returns the reference with the entry's terms, or the call's if the entry has none. */
  withTerms(entry: EntryRef, called: string): TakenRef {
    return { ...entry, terms: this.terms.of(entry.seq) ?? called }
  }

  balances(): Balances {
    return this.latest().balances
  }

  /** Returns the entries that were appended since the last call, without those that were undone. */
  takeAppended(): AppendedEntry[] {
    if (this.#appended.length === 0) return []
    const appended = this.#appended
    this.#appended = []
    return appended
  }

  forget(): void {
    this.#latest = null
    this.#appended = []
    this.#past.forget()
  }

  /** Replays the entries that are here and compares balances and totals with them. */
  audit(): string | null {
    const { segments } = this
    const { first, last } = segments.here
    function* here() {
      for (let segment = first; segment <= last; segment++) yield* segments.entries(segment, 1)
    }
    const before = this.before(first)
    const rebuilt = replay(linked(here(), before.headHash), before)
    if (!rebuilt.ok) return `entry ${rebuilt.seq}: ${rebuilt.problem}`
    const wrong = differenceFrom(rebuilt, this.latest())
    return wrong && `${wrong} is not what the journal says`
  }

  /** Returns the state before a segment. */
  before(segment: number): JournalState {
    const entries = lastSeqOf(segment - 1)
    const headHash = this.segments.endAt(entries)?.hash ?? GENESIS_HASH
    const { balances, totals } = this.headAt(entries)
    return { entries, headHash, balances, totals }
  }

  /** Returns entries of one segment in order, from a number on: at most `count`, and none after the latest. */
  page(seq: number, count: number): Omit<StoredEntry, 'head'>[] {
    if (count < 1 || seq > this.latest().seq) return []
    return [...this.segments.entries(segmentOf(seq), seq, count, count)]
  }

  /** Returns entries of one segment in order, after another one and at or after a time: at most `most`. */
  pageAt(at: number, after: number, most: number): Omit<StoredEntry, 'head'>[] {
    const latest = this.latest()
    if (after >= latest.seq || latest.at < at) return []
    const first = this.segments.segmentWith((end) => end.at >= at)
    const segment = Math.max(first, segmentOf(after + 1))
    return this.segments.entriesAt(segment, { at, after, latest: latest.seq, most })
  }

  /**
   * Returns some entries of one segment after an entry, as they may leave the object: with the hashes
   * of their heads, which have seeds, instead of the heads.
   */
  linkedAfter(after: number): JournalEntry[] {
    if (after >= this.latest().seq) return []
    const previousHash = this.segments.endAt(after)?.hash ?? GENESIS_HASH
    const entries = this.segments.entries(segmentOf(after + 1), after + 1, LINKED_PAGE)
    return [...linked(entries, previousHash)]
  }

  /** Returns the number of the first entry after a time; one more than the latest without any. */
  firstSeqAfter(unixMs: number): number {
    const latest = this.latest()
    if (latest.at <= unixMs) return latest.seq + 1
    return this.segments.firstSeq(({ at }) => at > unixMs, latest.seq)
  }

  /** Records a play or a step of a bet, which is found by its order. Returns the number of its entry. */
  recordInOrder<Result>(
    { id: operationId, request, at, terms }: Operation,
    { postings, result }: Decision<Result>,
    change: HeadChange = {},
  ): number {
    const previous = this.latest()
    const after = {
      ...previous,
      ...change,
      seq: previous.seq + 1,
      at,
      balances: post(previous.balances, postings),
      totals: addToTotals(previous.totals, { operationId, request, postings }),
    }
    const entry = {
      seq: after.seq,
      operationId,
      request,
      postings,
      result: JSON.stringify(result),
      at,
      head: packHead(after),
    }
    const links = { headDigest: digestOf(entry.head), previousHash: previous.hash }
    const hash = entryHash({ ...entry, ...links })
    // Last, so that nothing can fail once the entry is stored.
    if (terms !== undefined) this.terms.follow(entry.seq, terms)
    this.segments.append({ ...entry, hash })
    this.#latest = { ...after, hash }
    this.#appended.push({ seq: entry.seq, operationId, at, hash, postings })
    return entry.seq
  }

  #firstSeq(has: (head: Head) => boolean): number {
    return this.segments.firstSeq(({ head }) => has(unpackHead(head)), this.latest().seq)
  }

  /** Returns the first entry with a property, or the end of its segment if it is in the archive. */
  #firstSeqHere(has: (end: SegmentEnd) => boolean): number {
    try {
      return this.segments.firstSeq(has, this.latest().seq)
    } catch (fault) {
      if (fault instanceof SegmentArchived) return lastSeqOf(fault.segment)
      throw fault
    }
  }

  /** Returns whether the journal was restored by an entry after another one. */
  isRestoredSince(seq: number): boolean {
    return this.ids.startingWith(idPrefix('restored')).seq > seq
  }

  /** Returns the state after an entry; 0 is before the first. */
  headAt(seq: number): Head {
    const end = this.segments.endAt(seq)
    return end ? unpackHead(end.head) : EMPTY_HEAD
  }
}

/** Whether a play has been made, or opened as a game. */
function hasBegun({ nextPlay }: Head, nonce: number): boolean {
  return (nextPlay?.nonce ?? 0) > nonce
}

function recorded<Result>(entry: StoredEntry): Recorded<Result> {
  const { seq, hash, operationId: id, request, at } = entry
  const result = JSON.parse(entry.result) as Result
  return { seq, hash, id, request, at, result, head: unpackHead(entry.head) }
}
