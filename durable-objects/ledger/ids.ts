import { firstRow } from '../kernel/rows.ts'

const TABLES = `
  CREATE TABLE ids (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** The entries of operations with ids from outside. Plays and bets are found by their order instead. */
export class Ids {
  readonly migration = { id: 'journal', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Adds an id, in its caller's transaction. It must be unused. */
  add(id: string, seq: number): void {
    this.#sql.exec('INSERT INTO ids (id, seq) VALUES (?, ?)', id, seq)
  }

  /** Returns the number of an id's entry; null if it is unused. */
  seqOf(id: string): number | null {
    const query = 'SELECT seq FROM ids WHERE id = ?'
    return firstRow(this.#sql.exec<{ seq: number }>(query, id))?.seq ?? null
  }

  /** Returns how many ids begin with a text, and the entry of the latest; 0 without any. */
  startingWith(prefix: string): { count: number; seq: number } {
    const query = `SELECT count(*) AS count, coalesce(max(seq), 0) AS seq FROM ids
      WHERE id >= ? AND id < ?`
    return this.#sql.exec<{ count: number; seq: number }>(query, prefix, `${prefix}~`).one()
  }
}
