import { invariant } from '../../src/core/invariant.ts'
import {
  ACCOUNTS,
  emptyBalances,
  post,
  type Balances,
  type Posting,
} from '../../src/ledger/accounts.ts'
import { entryHash, GENESIS_HASH, replay, type JournalEntry } from '../../src/ledger/journal.ts'
import { TOKENS } from '../../src/money/token.ts'
import type { Stored } from '../kernel/stored.ts'
import type { LedgerPart } from './books.ts'

/** Balances are decimal text, because SQLite's integers would lose wei. The checks keep the player's from going negative. */
const TABLES = `
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    operation_id TEXT NOT NULL UNIQUE,
    request TEXT NOT NULL,
    postings TEXT NOT NULL,
    result TEXT NOT NULL,
    at INTEGER NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE balances (
    token TEXT PRIMARY KEY CHECK (token IN ('ETH', 'USDG')),
    chips TEXT NOT NULL CHECK (chips NOT LIKE '-%'),
    in_play TEXT NOT NULL CHECK (in_play NOT LIKE '-%'),
    withdrawing TEXT NOT NULL CHECK (withdrawing NOT LIKE '-%'),
    house TEXT NOT NULL,
    vault TEXT NOT NULL,
    partner TEXT NOT NULL,
    fees TEXT NOT NULL,
    faucet TEXT NOT NULL
  ) STRICT;
`

/** An operation's decision: its postings, and the answer for this call and every repetition. */
interface Decision<Result> {
  postings: Posting[]
  result: Result
}

/** The number and hash of the latest entry. */
interface Head {
  seq: number
  hash: string
}

const COLUMNS = `seq, operation_id AS operationId, request, postings, result, at,
  previous_hash AS previousHash, hash`

/**
 * The journal and the balances of one ledger. Every method runs in its caller's transaction. If that is
 * undone, the state in memory must be dropped.
 */
export class Operations implements LedgerPart {
  readonly migration = { id: 'operations', sql: TABLES }
  readonly #sql: SqlStorage
  #balances: Balances | null = null
  #head: Head | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the stored result of an operation, or null if this id is unused. */
  stored<Result>(operationId: string): { request: string; result: Result; at: number } | null {
    const [row] = this.#sql
      .exec<{ request: string; result: string; at: number }>(
        'SELECT request, result, at FROM journal WHERE operation_id = ?',
        operationId,
      )
      .toArray()
    return row ? { ...row, result: JSON.parse(row.result) as Result } : null
  }

  /** Records an operation: its entry, linked to the previous one, and the resulting balances. */
  record<Result>(
    operation: { id: string; request: string; at: number },
    { postings, result }: Decision<Result>,
  ): Result {
    const head = this.head()
    const entry = {
      seq: head.seq + 1,
      operationId: operation.id,
      request: operation.request,
      postings,
      result: JSON.stringify(result),
      at: operation.at,
      previousHash: head.hash,
    }
    const hash = entryHash(entry)
    this.#sql.exec(
      `INSERT INTO journal
         (seq, operation_id, request, postings, result, at, previous_hash, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      entry.seq,
      entry.operationId,
      entry.request,
      JSON.stringify(postings),
      entry.result,
      entry.at,
      entry.previousHash,
      hash,
    )
    this.#head = { seq: entry.seq, hash }
    this.#balances = post(this.balances(), postings)
    this.#write(this.#balances, postings)
    return result
  }

  head(): Head {
    this.#head ??= this.#readHead()
    return this.#head
  }

  balances(): Balances {
    this.#balances ??= this.#readBalances()
    return this.#balances
  }

  /** Drops the state in memory. The database has it, or has undone it. */
  forget(): void {
    this.#balances = null
    this.#head = null
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
    const query = `SELECT ${COLUMNS} FROM journal WHERE seq >= ? ORDER BY seq LIMIT ?`
    for (const row of this.#sql.exec<Stored<JournalEntry>>(query, seq, count)) {
      yield { ...row, postings: JSON.parse(row.postings) as Posting[] }
    }
  }

  /** Returns the number of the first entry at or after a time. Entries are in the order of their times. */
  firstSeqAt(at: number): number {
    let [low, high] = [1, this.head().seq + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#timeOf(middle) < at) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns when the latest entry was written, in unix milliseconds; 0 before the first. */
  latestTime(): number {
    const { seq } = this.head()
    return seq === 0 ? 0 : this.#timeOf(seq)
  }

  #timeOf(seq: number): number {
    return this.#sql.exec<{ at: number }>('SELECT at FROM journal WHERE seq = ?', seq).one().at
  }

  #readHead(): Head {
    const [head] = this.#sql
      .exec<Head & Record<string, SqlStorageValue>>(
        'SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1',
      )
      .toArray()
    return head ?? { seq: 0, hash: GENESIS_HASH }
  }

  #readBalances(): Balances {
    const balances = emptyBalances()
    for (const row of this.#sql.exec<Record<string, string>>('SELECT * FROM balances')) {
      const token = TOKENS.find((known) => known === row['token'])
      invariant(token, 'a balance is in a known token')
      for (const account of ACCOUNTS) balances[token][account] = BigInt(row[account] ?? '0')
    }
    return balances
  }

  #write(balances: Balances, postings: Posting[]): void {
    for (const token of new Set(postings.map((posting) => posting.token))) {
      this.#sql.exec(
        `INSERT OR REPLACE INTO balances (token, ${ACCOUNTS.join(', ')})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        token,
        ...ACCOUNTS.map((account) => balances[token][account].toString()),
      )
    }
  }
}
