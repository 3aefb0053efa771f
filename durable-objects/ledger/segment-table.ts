import { bytesToHex } from '@noble/hashes/utils'
import { unpackPostings, type StoredEntry } from '../../src/ledger/journal.ts'
import { lastSeqOf, type SegmentEnd } from '../../src/ledger/segment.ts'

/** A segment that is still here has a table, because dropping a table writes no rows and deleting them does. */
export const PREFIX = 'journal_'

/**
 * `head` is the journal's state after the entry, so that no other row is written with it. It has
 * the seed of the next play: nothing may show or log it.
 */
export const COLUMNS = `(
    seq INTEGER PRIMARY KEY,
    operation_id TEXT NOT NULL,
    request TEXT NOT NULL,
    postings BLOB NOT NULL,
    result TEXT NOT NULL,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    head BLOB NOT NULL
  ) STRICT`

export const NAMES = 'seq, operation_id AS operationId, request, postings, result, at, hash, head'
export const SELECT = `SELECT ${NAMES} FROM`

export type Row = Pick<StoredEntry, 'seq' | 'operationId' | 'request' | 'result' | 'at'> & {
  postings: ArrayBuffer
  hash: ArrayBuffer
  head: ArrayBuffer
}

export type EndRow = { at: number; hash: ArrayBuffer; head: ArrayBuffer }

/** An entry, and the head before it; null if that is in another table. */
export type StepRow = Row & { before: ArrayBuffer | null }

/** Returns the numbers of a segment's first entry and of its last, which may be the latest of all. */
export function rangeIn(segment: number, latest: number): [first: number, last: number] {
  return [lastSeqOf(segment - 1) + 1, Math.min(lastSeqOf(segment), latest)]
}

/**
 * Returns the beginning of a query that searches a table for the first entry after each of some times. `search` has a
 * row `(time, low, high)` for each step, with `low = high` in the last. The entries' times never fall. Binds the
 * numbers of the first entry and of one that is after all times, and the times as a JSON list.
 */
export function searchIn(segment: number): string {
  return `WITH RECURSIVE search(time, low, high) AS (
      SELECT value, CAST(? AS INTEGER), CAST(? AS INTEGER) FROM json_each(?)
      UNION ALL
      SELECT time, iif(at > time, low, seq + 1), iif(at > time, seq, high)
      FROM search JOIN ${PREFIX}${segment} ON seq = (low + high) / 2 WHERE low < high
    )`
}

export function rangeOf(names: Iterable<string>): { first: number; last: number } {
  const numbers = [...names]
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => Number(name.slice(PREFIX.length)))
  return numbers.length === 0
    ? { first: 1, last: 0 }
    : { first: Math.min(...numbers), last: Math.max(...numbers) }
}

export function entryOf({ postings, hash, head, ...row }: Row): StoredEntry {
  return {
    ...row,
    postings: unpackPostings(new Uint8Array(postings)),
    hash: hexOf(hash),
    head: new Uint8Array(head),
  }
}

export function endOf({ at, hash, head }: EndRow): SegmentEnd {
  return { at, hash: hexOf(hash), head: new Uint8Array(head) }
}

function hexOf(bytes: ArrayBuffer): string {
  return bytesToHex(new Uint8Array(bytes))
}
