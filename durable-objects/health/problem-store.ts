import { firstRow } from '../kernel/rows.ts'

/**
 * One row: the number of problems that the latest check of the configuration found. Stored, because the object sleeps.
 */
const TABLE = `
  CREATE TABLE configuration (id INTEGER PRIMARY KEY CHECK (id = 1), problems INTEGER NOT NULL) STRICT;
`

/** The problems of the configuration with the chain. */
export class ProblemStore {
  readonly migration = { id: 'configuration', sql: TABLE }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Writes only a change. */
  note(problems: number): void {
    if (problems === this.count()) return
    this.#sql.exec('INSERT OR REPLACE INTO configuration (id, problems) VALUES (1, ?)', problems)
  }

  /** Returns the number of problems; null before the first check. */
  count(): number | null {
    return (
      firstRow(this.#sql.exec<{ problems: number }>('SELECT problems FROM configuration'))
        ?.problems ?? null
    )
  }
}
