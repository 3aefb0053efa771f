import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { ACCOUNTS, post, type Balances, type Posting } from '../../src/ledger/accounts.ts'
import { EMPTY_HEAD, packHead, unpackHead, type Head } from '../../src/ledger/head.ts'
import {
  entryHash,
  GENESIS_HASH,
  postingsOfTuples,
  replay,
  tuplesOf,
  type JournalEntry,
} from '../../src/ledger/journal.ts'
import { TOKENS } from '../../src/money/token.ts'
import type { Stored } from '../kernel/stored.ts'
import type { LedgerPart } from './books.ts'

/**
 * `head` is what the journal amounts to after the entry, so that no other row is written with it. It has
 * the seed of the next play: nothing may show or log it.
 */
const TABLES = `
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    operation_id TEXT NOT NULL UNIQUE,
    request TEXT NOT NULL,
    postings TEXT NOT NULL,
    result TEXT NOT NULL,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    head BLOB NOT NULL
  ) STRICT;
`

/** An operation's decision: its postings, and the answer for this call and every repetition. */
interface Decision<Result> {
  postings: Posting[]
  result: Result
}

/** An operation in the journal. */
interface Recorded<Result> {
  request: string
  result: Result
  at: number
  /** For {@link headOf}. */
  head: ArrayBuffer
}

/** The latest entry, and what the journal amounts to with it. */
interface Latest extends Head {
  seq: number
  hash: string
  at: number
}

const NONE: Latest = { ...EMPTY_HEAD, seq: 0, hash: GENESIS_HASH, at: 0 }

type Row = Omit<Stored<JournalEntry>, 'headDigest' | 'previousHash' | 'hash'> & {
  hash: ArrayBuffer
  head: ArrayBuffer
}

/**
 * The journal of one ledger. Every method runs in its caller's transaction. If that is undone, the state
 * in memory must be dropped.
 */
export class Operations implements LedgerPart {
  readonly migration = { id: 'operations', sql: TABLES }
  readonly #sql: SqlStorage
  #latest: Latest | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns an operation as it was recorded, or null if this id is unused. */
  stored<Result>(operationId: string): Recorded<Result> | null {
    const [row] = this.#sql
      .exec<{ request: string; result: string; at: number; head: ArrayBuffer }>(
        'SELECT request, result, at, head FROM journal WHERE operation_id = ?',
        operationId,
      )
      .toArray()
    return row ? { ...row, result: JSON.parse(row.result) as Result } : null
  }

  /**
   * Records an operation: its entry, linked to the previous one, with the resulting balances.
   * @param nextPlay the play after it, if the operation was a play
   */
  record<Result>(
    operation: { id: string; request: string; at: number },
    { postings, result }: Decision<Result>,
    nextPlay: Head['nextPlay'] = this.latest().nextPlay,
  ): Result {
    const { seq, hash: previousHash, balances } = this.latest()
    const { id: operationId, request, at } = operation
    const head = { balances: post(balances, postings), nextPlay }
    const packed = packHead(head)
    const entry = {
      ...{ seq: seq + 1, operationId, request, postings, result: JSON.stringify(result), at },
      ...{ headDigest: digestOf(packed), previousHash },
    }
    const hash = entryHash(entry)
    this.#sql.exec(
      `INSERT INTO journal (seq, operation_id, request, postings, result, at, hash, head)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[entry.seq, operationId, request, JSON.stringify(tuplesOf(postings)), entry.result, at],
      ...[hexToBytes(hash), packed],
    )
    this.#latest = { ...head, seq: entry.seq, hash, at }
    return result
  }

  /** Returns the latest entry; number 0 before the first. */
  latest(): Latest {
    this.#latest ??= this.#readLatest()
    return this.#latest
  }

  balances(): Balances {
    return this.latest().balances
  }

  /** Drops the state in memory. The database has it, or has undone it. */
  forget(): void {
    this.#latest = null
  }

  /** Replays the journal and compares the balances with it. */
  audit(): string | null {
    const rebuilt = replay(this.entries())
    if (!rebuilt.ok) return `entry ${rebuilt.seq}: ${rebuilt.problem}`
    const balances = this.balances()
    for (const token of TOKENS) {
      for (const account of ACCOUNTS) {
        if (balances[token][account] === rebuilt.balances[token][account]) continue
        return `${account} of ${token} is not what the journal says`
      }
    }
    return null
  }

  /** Returns entries in order, from a number on: up to `count`, or all with -1. */
  *entries(seq = 1, count = -1): Generator<JournalEntry> {
    let previousHash = seq > 1 ? this.#hashOf(seq - 1) : GENESIS_HASH
    const query = `SELECT seq, operation_id AS operationId, request, postings, result, at, hash, head
       FROM journal WHERE seq >= ? ORDER BY seq LIMIT ?`
    for (const { head, ...row } of this.#sql.exec<Row>(query, seq, count)) {
      const hash = hexOf(row.hash)
      const headDigest = digestOf(new Uint8Array(head))
      const postings = postingsOfTuples(JSON.parse(row.postings))
      yield { ...row, postings, headDigest, previousHash, hash }
      previousHash = hash
    }
  }

  /** Returns the number of the first entry at or after a time. Entries are in the order of their times. */
  firstSeqAt(at: number): number {
    let [low, high] = [1, this.latest().seq + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#timeOf(middle) < at) low = middle + 1
      else high = middle
    }
    return low
  }

  #timeOf(seq: number): number {
    return this.#sql.exec<{ at: number }>('SELECT at FROM journal WHERE seq = ?', seq).one().at
  }

  #hashOf(seq: number): string {
    const query = 'SELECT hash FROM journal WHERE seq = ?'
    const [row] = this.#sql.exec<{ hash: ArrayBuffer }>(query, seq).toArray()
    return row ? hexOf(row.hash) : GENESIS_HASH
  }

  #readLatest(): Latest {
    const [row] = this.#sql
      .exec<{ seq: number; at: number; hash: ArrayBuffer; head: ArrayBuffer }>(
        'SELECT seq, at, hash, head FROM journal ORDER BY seq DESC LIMIT 1',
      )
      .toArray()
    if (!row) return NONE
    return {
      ...headOf(row),
      seq: row.seq,
      at: row.at,
      hash: hexOf(row.hash),
    }
  }
}

/** Returns what the journal amounts to after an entry. */
export function headOf({ head }: { head: ArrayBuffer }): Head {
  return unpackHead(new Uint8Array(head))
}

function digestOf(packed: Uint8Array): string {
  return bytesToHex(sha256(packed))
}

function hexOf(bytes: ArrayBuffer): string {
  return bytesToHex(new Uint8Array(bytes))
}
