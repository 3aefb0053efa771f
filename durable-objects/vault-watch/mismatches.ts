import { firstRow } from '../kernel/rows.ts'

/**
 * Everything is read again after this many looks in a row that don't match the contract's totals, over this time. For
 * as long as that reading takes, no new deposit is found, and a node may be behind for some looks.
 */
const MAX_LOOKS = 5
const LASTS_FOR_MS = 180_000

/** `mismatches` has one row while looks don't match: when the first one was, and how many there were up to now. */
const TABLE = `
  CREATE TABLE mismatches (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL,
    looks INTEGER NOT NULL
  ) STRICT;
`

/**
 * The latest looks in a row that didn't match the contract's totals. Stored, because without players the watch sleeps
 * from one look to the next.
 */
export class Mismatches {
  readonly migration = { id: 'vault-watch-mismatches', sql: TABLE }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns how many there are, at most as many as count. */
  get looks(): number {
    return this.#row()?.looks ?? 0
  }

  /** Counts another one. Returns whether they last. */
  add(now: number): boolean {
    const { since, looks } = this.#row() ?? { since: now, looks: 0 }
    if (looks < MAX_LOOKS) {
      this.#sql.exec(
        'INSERT OR REPLACE INTO mismatches (id, since, looks) VALUES (1, ?, ?)',
        since,
        looks + 1,
      )
    }
    return looks + 1 >= MAX_LOOKS && now - since >= LASTS_FOR_MS
  }

  /** Begins again at none. Writes nothing if there are none. */
  clear(): void {
    this.#sql.exec('DELETE FROM mismatches')
  }

  #row() {
    return firstRow(
      this.#sql.exec<{ since: number; looks: number }>('SELECT since, looks FROM mismatches'),
    )
  }
}
