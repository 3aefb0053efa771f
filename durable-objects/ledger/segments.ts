import { hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import { SEGMENT_ENTRIES } from '../../src/ledger/capacity.ts'
import { packPostings, type StoredEntry } from '../../src/ledger/journal.ts'
import { entryOfLine, lastSeqOf, segmentOf, type SegmentEnd } from '../../src/ledger/segment.ts'
import type { Part } from '../kernel/kernel.ts'
import type { Schema } from '../kernel/migrations.ts'
import { keepSpare, type Room } from './archive-room.ts'
import { bisect, SPREAD, spreadSearch } from './search.ts'
import {
  COLUMNS,
  endOf,
  entryOf,
  NAMES,
  PREFIX,
  rangeIn,
  rangeOf,
  searchIn,
  SELECT,
  type EndRow,
  type Row,
  type StepRow,
} from './segment-table.ts'

/** A segment in the archive leaves only its end here, and the sha256 of its file. */
const TABLES = `
  CREATE TABLE archived_segments (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    head BLOB NOT NULL,
    file_hash BLOB NOT NULL
  ) STRICT;
`

/** The most entries that a query reads. A look at the newest ones usually needs few, and begins with fewer. */
const BATCH = 512
const FIRST_LOOK = 4

/** The most entries that searches leave in memory: reads alone append nothing, however many they are. */
const MAX_SEARCHED = 4 * SPREAD

/** A segment from the archive, in memory. */
export interface FetchedSegment {
  lines: string[]
  room: Room
}

/** Thrown by a read that needs a segment from the archive, which has to be fetched first. */
export class SegmentArchived extends Error {
  readonly segment: number

  constructor(segment: number) {
    super(`segment ${segment} is in the archive`)
    this.segment = segment
  }
}

/**
 * Runs work on the journal and returns its result, or `otherwise` if it needs a segment from the archive. An audit
 * skips such work, because archived segments are checked one by one.
 */
export function unlessArchived<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (fault) {
    if (fault instanceof SegmentArchived) return otherwise
    throw fault
  }
}

/** The entries of one journal by number: in tables here, a segment each, or in the archive. */
export class Segments implements Part {
  readonly migration = { id: 'segments', sql: TABLES }
  readonly #sql: SqlStorage
  /** The first and the last segment with a table here. */
  #here: { first: number; last: number } | null = null
  /** Entries that the latest searches have read: the next one often ends nearby. */
  readonly #searched = new Map<number, Row>()
  /** The segments from the archive that calls hold, and perhaps the latest that one held. */
  readonly #fetched = new Map<number, FetchedSegment & { calls: number }>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  load(schema: Schema): void {
    this.#here = rangeOf(schema.keys())
  }

  forget(): void {
    this.#here = null
    this.#searched.clear()
  }

  /** The first and the last segment with a table here; from 1 to 0 before the first entry. */
  get here(): { first: number; last: number } {
    this.#here ??= rangeOf(
      [
        ...this.#sql.exec<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`),
      ].map(({ name }) => name),
    )
    return this.#here
  }

  /** Returns whether an entry's segment has its table, which otherwise is made with the entry. */
  hasTableFor(seq: number): boolean {
    return segmentOf(seq) <= this.here.last
  }

  append({ seq, operationId, request, postings, result, at, hash, head }: StoredEntry): void {
    const number = segmentOf(seq)
    this.#searched.clear()
    if (!this.hasTableFor(seq)) {
      const { first } = this.here
      this.#sql.exec(`CREATE TABLE ${PREFIX}${number} ${COLUMNS}`)
      this.#here = { first, last: number }
    }
    this.#sql.exec(
      `INSERT INTO ${PREFIX}${number}
         (seq, operation_id, request, postings, result, at, hash, head)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      operationId,
      request,
      packPostings(postings),
      result,
      at,
      hexToBytes(hash),
      head,
    )
  }

  /** Returns the latest entry, and in the same statement the texts of expressions in SQL; null before the first. */
  latestAnd(
    expressions: readonly string[],
  ): { entry: StoredEntry; texts: (string | null)[] } | null {
    const { last } = this.here
    if (last === 0) return null
    const texts = expressions.map((expression) => `${expression} || ''`).join()
    const query = `SELECT ${NAMES}, json_array(${texts}) AS texts
      FROM ${PREFIX}${last} ORDER BY seq DESC LIMIT 1`
    const { texts: read, ...row } = this.#sql.exec<Row & { texts: string }>(query).one()
    return { entry: entryOf(row), texts: JSON.parse(read) as (string | null)[] }
  }

  /** Returns an entry. @throws SegmentArchived if it is neither here nor in memory */
  entry(seq: number): StoredEntry {
    const number = segmentOf(seq)
    if (number >= this.here.first) {
      const query = `${SELECT} ${PREFIX}${number} WHERE seq = ?`
      return entryOf(this.#searched.get(seq) ?? this.#sql.exec<Row>(query, seq).one())
    }
    const line = this.#linesOf(number)[seq - lastSeqOf(number - 1) - 1]
    invariant(line !== undefined, `entry ${seq} is in its segment`)
    return entryOfLine(line)
  }

  /**
   * Returns a segment's entries in order, from a number on: at most `most`.
   * @param size the number of entries that a query reads
   * @throws SegmentArchived if the segment is neither here nor in memory
   */
  *entries(
    segment: number,
    from: number,
    most = SEGMENT_ENTRIES,
    size = BATCH,
  ): Generator<StoredEntry> {
    if (segment >= this.here.first) {
      yield* this.#rows(segment, { from, step: 1, most, size })
      return
    }
    const skipped = Math.max(0, from - lastSeqOf(segment - 1) - 1)
    for (const line of this.#linesOf(segment).slice(skipped, skipped + most)) {
      yield entryOfLine(line)
    }
  }

  /** Returns the entries that are here, newest first. */
  *newest(look = FIRST_LOOK): Generator<StoredEntry> {
    const { first, last } = this.here
    for (let segment = last; segment >= first; segment--) {
      const from = lastSeqOf(segment)
      yield* this.#rows(segment, { from, step: -1, most: SEGMENT_ENTRIES, size: look })
    }
  }

  /**
   * Returns the newest entries here after another one whose id and request begin with some texts, newest first: each
   * with the head before it, or null if that is in another table.
   */
  newestOf(
    after: number,
    count: number,
    { id, request }: { id: string; request: string },
  ): { entry: StoredEntry; before: Uint8Array | null }[] {
    const { first, last } = this.here
    const found: StepRow[] = []
    for (let segment = last; segment >= first && lastSeqOf(segment) > after; segment--) {
      if (found.length === count) break
      const table = PREFIX + segment
      const query = `SELECT ${NAMES},
          (SELECT head FROM ${table} AS earlier WHERE earlier.seq = later.seq - 1) AS before
        FROM ${table} AS later
        WHERE seq > ? AND substr(operation_id, 1, ?) = ? AND substr(request, 1, ?) = ?
        ORDER BY seq DESC LIMIT ?`
      const texts = [id.length, id, request.length, request]
      found.push(...this.#sql.exec<StepRow>(query, after, ...texts, count - found.length))
    }
    return found.map(({ before, ...row }) => ({
      entry: entryOf(row),
      before: before && new Uint8Array(before),
    }))
  }

  /**
   * Returns entries of a segment that is here. Each query is read to its end, because SQLite drops no table while a
   * query is open, until its garbage collection.
   * @param look.step 1 for ascending numbers, -1 for descending ones
   * @param look.size the number of entries that the first query reads; each further one reads four times as many
   */
  *#rows(
    segment: number,
    { from, step, most, size }: { from: number; step: 1 | -1; most: number; size: number },
  ): Generator<StoredEntry> {
    const order = step === 1 ? 'seq >= ? ORDER BY seq' : 'seq <= ? ORDER BY seq DESC'
    const query = `${SELECT} ${PREFIX}${segment} WHERE ${order} LIMIT ?`
    let [next, left, limit] = [from, most, Math.min(size, most)]
    while (limit > 0) {
      const rows = this.#sql.exec<Row>(query, next, limit).toArray()
      for (const row of rows) yield entryOf(row)
      const latest = rows.at(-1)
      if (!latest || rows.length < limit) return
      next = latest.seq + step
      left -= limit
      limit = Math.min(4 * limit, BATCH, left)
    }
  }

  /** Returns the state after an entry; null before the first. */
  endAt(seq: number): SegmentEnd | null {
    const number = segmentOf(seq)
    const isArchivedEnd = number < this.here.first && seq === lastSeqOf(number)
    if (seq === 0 || !isArchivedEnd) return seq === 0 ? null : this.entry(seq)
    return this.#endsArchived([number])[0] ?? null
  }

  /**
   * Returns the number of the first entry with a property that every later entry has too. The latest has it.
   * @throws SegmentArchived if the search leads into a segment that is neither here nor in memory
   */
  firstSeq(has: (end: SegmentEnd) => boolean, latest: number): number {
    const segment = this.segmentWith(has)
    const [low, high] = rangeIn(segment, latest)
    if (segment < this.here.first) return bisect(low, high, (seq) => has(this.#known(seq)))
    const readAll = (seqs: readonly number[]) => {
      this.#readHere(segment, seqs)
      return seqs
    }
    return spreadSearch(low, high, readAll, (seq) => has(this.#known(seq)))
  }

  /** Returns the first segment whose last entry has a property that every later entry has too. The latest has it. */
  segmentWith(has: (end: SegmentEnd) => boolean): number {
    const { first, last } = this.here
    const hasAtEnd = (number: number) => has(this.#known(lastSeqOf(number)))
    const isArchived = first > 1 && hasAtEnd(first - 1)
    if (!isArchived) return bisect(first, last, hasAtEnd)
    return spreadSearch(1, first - 1, (numbers) => this.#endsArchived(numbers), has)
  }

  /**
   * Returns a segment's entries in order, after another entry and from a time on: at most `most`.
   * @throws SegmentArchived if the segment is neither here nor in memory
   */
  entriesAt(
    segment: number,
    { at, after, latest, most }: { at: number; after: number; latest: number; most: number },
  ): StoredEntry[] {
    const [start, high] = rangeIn(segment, latest)
    const low = Math.max(after + 1, start)
    if (segment < this.here.first) {
      const from = bisect(low, high, (seq) => this.#known(seq).at >= at)
      return [...this.entries(segment, from, most)]
    }
    const query = `${searchIn(segment)} ${SELECT} ${PREFIX}${segment}
      WHERE seq >= (SELECT low FROM search WHERE low = high) ORDER BY seq LIMIT ?`
    const rows = this.#sql.exec<Row>(query, low, high, JSON.stringify([at - 1]), most)
    return rows.toArray().map(entryOf)
  }

  /**
   * Reads the states on either side of each time in one query: after the latest entry no later than it, null if there
   * is none, and after the following entry. The segment must be here, and its last entry must be later than all times.
   */
  around(segment: number, times: readonly number[], latest: number) {
    const [low, high] = rangeIn(segment, latest)
    const query = `${searchIn(segment)} SELECT seq, at, hash, head FROM ${PREFIX}${segment}
      WHERE seq IN (SELECT low FROM search WHERE low = high UNION SELECT low - 1 FROM search WHERE low = high)
      ORDER BY seq`
    const ends = this.#sql
      .exec<EndRow & { seq: number }>(query, low, high, JSON.stringify(times))
      .toArray()
    return times.map((time) => {
      const next = ends.find(({ at }) => at > time)
      invariant(next, 'the last entry is later')
      const last = ends.findLast(({ seq }) => seq === next.seq - 1)
      return { last: last ? endOf(last) : this.endAt(next.seq - 1), next: endOf(next) }
    })
  }

  /** Holds an archived segment in memory for a call, which has to release it. */
  hold(segment: number, fetched: FetchedSegment): void {
    const known = this.#fetched.get(segment)
    if (known) known.calls++
    else this.#fetched.set(segment, { ...fetched, calls: 1 })
  }

  /** Releases a segment that a call held. */
  release(segment: number): void {
    const released = this.#fetched.get(segment)
    invariant(released, 'a held segment is in memory')
    released.calls--
    if (released.calls > 0) return
    released.room.isTaken = false
    keepSpare(released, released.room.reader, () => {
      if (released.calls === 0) this.#fetched.delete(segment)
    })
  }

  /** Returns the sha256 of an archived segment's file. */
  fileHashOf(segment: number): ArrayBuffer {
    const query = 'SELECT file_hash FROM archived_segments WHERE number = ?'
    return this.#sql.exec<{ file_hash: ArrayBuffer }>(query, segment).one().file_hash
  }

  /** Removes the first segment that is here, in its caller's transaction. The archive has it. */
  drop(segment: number, fileHash: ArrayBuffer): void {
    const { first, last } = this.here
    invariant(segment === first && segment < last, 'segments leave in order, and never the latest')
    const { at, hash, head } = this.entry(lastSeqOf(segment))
    this.#sql.exec(
      'INSERT INTO archived_segments (number, at, hash, head, file_hash) VALUES (?, ?, ?, ?, ?)',
      segment,
      at,
      hexToBytes(hash),
      head,
      fileHash,
    )
    this.#sql.exec(`DROP TABLE ${PREFIX}${segment}`)
    this.#here = { first: first + 1, last }
  }

  /** Returns the state after an entry, which is not 0. */
  #known(seq: number): SegmentEnd {
    const end = this.endAt(seq)
    invariant(end, 'a search begins after the first state')
    return end
  }

  /** Returns the ends of segments in the archive. */
  #endsArchived(numbers: readonly number[]): SegmentEnd[] {
    const query = `SELECT at, hash, head FROM archived_segments
      WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number`
    return this.#sql.exec<EndRow>(query, JSON.stringify(numbers)).toArray().map(endOf)
  }

  /**
   * Reads some entries that are here into memory. With the last ones of a search it reads those around them, too: its
   * caller mostly needs them next.
   */
  #readHere(segment: number, seqs: readonly number[]): void {
    if (seqs.every((seq) => this.#searched.has(seq))) return
    if (this.#searched.size > MAX_SEARCHED) this.#searched.clear()
    const [first = 0, second = first + 1] = seqs
    const isEnd = second === first + 1
    const around = Array.from({ length: SPREAD }, (_, index) => first + index - SPREAD / 2)
    const query = `${SELECT} ${PREFIX}${segment} WHERE seq IN (SELECT value FROM json_each(?))`
    const read = JSON.stringify(isEnd ? [...around, ...seqs] : seqs)
    for (const row of this.#sql.exec<Row>(query, read).toArray()) this.#searched.set(row.seq, row)
  }

  #linesOf(segment: number): string[] {
    const fetched = this.#fetched.get(segment)
    if (!fetched) throw new SegmentArchived(segment)
    return fetched.lines
  }
}
