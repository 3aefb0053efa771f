import type { PerToken } from '../../src/money/token.ts'
import type {
  DriftChanges,
  Drifting,
  StoredDrift,
  StoredReconciliation,
} from '../../src/reconciliation/drift.ts'
import type {
  ReconciliationResult,
  TokenReconciliation,
} from '../../src/reconciliation/reconcile.ts'
import { firstRow } from '../kernel/rows.ts'
import { textOf, type Stored } from '../kernel/stored.ts'

/**
 * `reconciled` has one row: the newest reconciliation, the accounts that differed in it, and the wallet after which
 * the next one compares some more. `drifts` has all drifts that were found, with the current ones, and `drifting`
 * the tokens that have one now.
 */
const TABLES = `
  CREATE TABLE reconciled (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL,
    block INTEGER NOT NULL,
    block_hash TEXT NOT NULL,
    books TEXT NOT NULL,
    differing TEXT NOT NULL,
    after TEXT NOT NULL
  ) STRICT;
  CREATE TABLE drifts (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL,
    place TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER
  ) STRICT;
  CREATE TABLE drifting (
    token TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    paused_wei TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Drifts that have ended and are kept. */
const MAX_KEPT = 1_000

/** The reconciliations of one vault. Every method that writes runs in its caller's transaction. */
export class DriftStore {
  readonly migration = { id: 'reconciliation', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the newest reconciliation; null before the first. */
  newest(): StoredReconciliation | null {
    const row = firstRow(
      this.#sql.exec<Stored<StoredReconciliation>>(
        'SELECT at, block, block_hash AS blockHash, books FROM reconciled',
      ),
    )
    return row ? { ...row, books: parseBooks(row.books) } : null
  }

  /** Returns the accounts that differed, and the wallet after which the next reconciliation continues. */
  next(): { differing: string[]; after: string } {
    const row = firstRow(
      this.#sql.exec<{ differing: string; after: string }>(
        'SELECT differing, after FROM reconciled',
      ),
    )
    return row
      ? { differing: JSON.parse(row.differing) as string[], after: row.after }
      : { differing: [], after: '' }
  }

  save(
    { at, block, blockHash }: Omit<StoredReconciliation, 'books'>,
    { books, differing }: ReconciliationResult,
    after: string,
  ): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO reconciled (id, at, block, block_hash, books, differing, after)
       VALUES (1, ?, ?, ?, ?, ?, ?)`,
      at,
      block,
      blockHash,
      textOf(books),
      JSON.stringify(differing),
      after,
    )
  }

  /** Returns the current drifts. */
  present(): StoredDrift[] {
    return this.#drifts('until IS NULL ORDER BY id')
  }

  /** Returns the drifts that have ended, newest first. */
  ended(limit: number): StoredDrift[] {
    return this.#drifts('until IS NOT NULL ORDER BY id DESC LIMIT ?', limit)
  }

  drifting(): Drifting[] {
    return this.#sql
      .exec<Stored<Drifting>>('SELECT token, since, paused_wei AS pausedWei FROM drifting')
      .toArray()
      .map(({ pausedWei, ...row }) => ({ ...row, pausedWei: BigInt(pausedWei) }))
  }

  change({ ended, began, drifting }: DriftChanges, now: number): void {
    for (const { token, place } of ended) {
      this.#sql.exec(
        'UPDATE drifts SET until = ? WHERE token = ? AND place = ? AND until IS NULL',
        now,
        token,
        place,
      )
    }
    for (const { token, place, amountWei } of began) {
      this.#sql.exec(
        'INSERT INTO drifts (token, place, amount_wei, since) VALUES (?, ?, ?, ?)',
        token,
        place,
        amountWei.toString(),
        now,
      )
    }
    if (began.length > 0) {
      this.#sql.exec(
        `DELETE FROM drifts WHERE until IS NOT NULL AND id <= (SELECT max(id) FROM drifts) - ?`,
        MAX_KEPT,
      )
    }
    const before = this.drifting()
    for (const { token } of before.filter((was) => !isAmong(drifting, was))) {
      this.#sql.exec('DELETE FROM drifting WHERE token = ?', token)
    }
    for (const { token, since, pausedWei } of drifting.filter((is) => !isAmong(before, is))) {
      this.#sql.exec(
        'INSERT INTO drifting (token, since, paused_wei) VALUES (?, ?, ?)',
        token,
        since,
        pausedWei.toString(),
      )
    }
  }

  /** Records the drifts that paused withdrawals. */
  notePaused({ token, pausedWei }: Drifting): void {
    this.#sql.exec(
      'UPDATE drifting SET paused_wei = ? WHERE token = ?',
      pausedWei.toString(),
      token,
    )
  }

  #drifts(where: string, ...bindings: number[]): StoredDrift[] {
    return this.#sql
      .exec<Stored<StoredDrift>>(
        `SELECT token, place, amount_wei AS amountWei, since, until FROM drifts WHERE ${where}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({ ...row, amountWei: BigInt(row.amountWei) }))
  }
}

function isAmong(tokens: readonly Drifting[], { token }: Drifting): boolean {
  return tokens.some((other) => other.token === token)
}

function parseBooks(text: string): PerToken<TokenReconciliation> {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' ? BigInt(value) : value,
  ) as PerToken<TokenReconciliation>
}
