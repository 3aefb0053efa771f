import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import { SEGMENT_ENTRIES } from '../../src/ledger/capacity.ts'
import { packPostings, unpackPostings, type StoredEntry } from '../../src/ledger/journal.ts'
import { entryOfLine, lastSeqOf, segmentOf, type SegmentEnd } from '../../src/ledger/segment.ts'
import type { Part } from '../kernel/kernel.ts'
import type { Schema } from '../kernel/migrations.ts'
import { keepSpare, type Room } from './archive-room.ts'

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

/** A segment that is still here has a table, because dropping a table writes no rows and deleting them does. */
const PREFIX = 'journal_'

/**
 * `head` is the journal's state after the entry, so that no other row is written with it. It has
 * the seed of the next play: nothing may show or log it.
 */
const COLUMNS = `(
    seq INTEGER PRIMARY KEY,
    operation_id TEXT NOT NULL,
    request TEXT NOT NULL,
    postings BLOB NOT NULL,
    result TEXT NOT NULL,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    head BLOB NOT NULL
  ) STRICT`

const NAMES = 'seq, operation_id AS operationId, request, postings, result, at, hash, head'
const SELECT = `SELECT ${NAMES} FROM`

/** The most entries that a query reads. A look at the newest ones usually needs few, and begins with fewer. */
const BATCH = 512
const FIRST_LOOK = 4

type Row = Pick<StoredEntry, 'seq' | 'operationId' | 'request' | 'result' | 'at'> & {
  postings: ArrayBuffer
  hash: ArrayBuffer
  head: ArrayBuffer
}

type EndRow = { at: number; hash: ArrayBuffer; head: ArrayBuffer }

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
 * Returns what some work finds in the journal, or `otherwise` if it needs a segment from the archive. An audit passes
 * such work: segments in the archive are checked one by one.
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

  /** Returns the latest entry, and in the same statement whether a condition in SQL is met; null before the first. */
  latestAnd(condition: string): { entry: StoredEntry; isMet: boolean } | null {
    const { last } = this.here
    if (last === 0) return null
    const query = `SELECT ${NAMES}, ${condition} AS isMet FROM ${PREFIX}${last} ORDER BY seq DESC LIMIT 1`
    const { isMet, ...row } = this.#sql.exec<Row & { isMet: number }>(query).one()
    return { entry: entryOf(row), isMet: isMet === 1 }
  }

  /** Returns an entry. @throws SegmentArchived if it is neither here nor in memory */
  entry(seq: number): StoredEntry {
    const number = segmentOf(seq)
    if (number >= this.here.first) {
      return entryOf(this.#sql.exec<Row>(`${SELECT} ${PREFIX}${number} WHERE seq = ?`, seq).one())
    }
    const line = this.#linesOf(number)[seq - lastSeqOf(number - 1) - 1]
    invariant(line !== undefined, `entry ${seq} is in its segment`)
    return entryOfLine(line)
  }

  /**
   * Returns a segment's entries in order, from a number on: at most `most`.
   * @throws SegmentArchived if the segment is neither here nor in memory
   */
  *entries(segment: number, from: number, most = SEGMENT_ENTRIES): Generator<StoredEntry> {
    if (segment >= this.here.first) {
      yield* this.#rows(segment, { from, step: 1, most, size: BATCH })
      return
    }
    const skipped = Math.max(0, from - lastSeqOf(segment - 1) - 1)
    for (const line of this.#linesOf(segment).slice(skipped, skipped + most)) {
      yield entryOfLine(line)
    }
  }

  /** Returns the entries that are here, newest first. */
  *newest(): Generator<StoredEntry> {
    const { first, last } = this.here
    for (let segment = last; segment >= first; segment--) {
      const from = lastSeqOf(segment)
      yield* this.#rows(segment, { from, step: -1, most: SEGMENT_ENTRIES, size: FIRST_LOOK })
    }
  }

  /** Returns the newest entries here after another one whose id and request begin with some texts, newest first. */
  newestOf(
    after: number,
    count: number,
    { id, request }: { id: string; request: string },
  ): StoredEntry[] {
    const { first, last } = this.here
    const found: StoredEntry[] = []
    for (let segment = last; segment >= first && lastSeqOf(segment) > after; segment--) {
      const query = `${SELECT} ${PREFIX}${segment}
        WHERE seq > ? AND substr(operation_id, 1, ?) = ? AND substr(request, 1, ?) = ?
        ORDER BY seq DESC LIMIT ?`
      const texts = [id.length, id, request.length, request]
      const rows = this.#sql.exec<Row>(query, after, ...texts, count - found.length)
      found.push(...rows.toArray().map(entryOf))
    }
    return found
  }

  /**
   * Returns entries of a segment that is here. Each query is read to its end: while one is open, until it is collected
   * as garbage, SQLite drops no table.
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
    const { at, hash, head } = this.#sql
      .exec<EndRow>('SELECT at, hash, head FROM archived_segments WHERE number = ?', number)
      .one()
    return { at, hash: hexOf(hash), head: new Uint8Array(head) }
  }

  /**
   * Returns the number of the first entry with a property that every later entry has too; one more than
   * the latest if none has.
   * @throws SegmentArchived if the search leads into a segment that is neither here nor in memory
   */
  firstSeq(has: (end: SegmentEnd) => boolean): number {
    const latest = this.latestAnd('FALSE')?.entry.seq ?? 0
    const endOf = (segment: number) => Math.min(lastSeqOf(segment), latest)
    const test = (seq: number) => {
      const end = this.endAt(seq)
      return end !== null && has(end)
    }
    const segment = bisect(1, this.here.last + 1, (number) => test(endOf(number)))
    if (segment > this.here.last) return latest + 1
    return bisect(lastSeqOf(segment - 1) + 1, endOf(segment), test)
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

  #linesOf(segment: number): string[] {
    const fetched = this.#fetched.get(segment)
    if (!fetched) throw new SegmentArchived(segment)
    return fetched.lines
  }
}

/** Returns the first of some numbers that passes a test, or `high`. Every number after one that passes does too. */
function bisect(low: number, high: number, passes: (number: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (passes(middle)) to = middle
    else from = middle + 1
  }
  return from
}

function rangeOf(names: Iterable<string>): { first: number; last: number } {
  const numbers = [...names]
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => Number(name.slice(PREFIX.length)))
  return numbers.length === 0
    ? { first: 1, last: 0 }
    : { first: Math.min(...numbers), last: Math.max(...numbers) }
}

function entryOf({ postings, hash, head, ...row }: Row): StoredEntry {
  return {
    ...row,
    postings: unpackPostings(new Uint8Array(postings)),
    hash: hexOf(hash),
    head: new Uint8Array(head),
  }
}

function hexOf(bytes: ArrayBuffer): string {
  return bytesToHex(new Uint8Array(bytes))
}
