import type { ModesChange } from '../../src/operator/modes.ts'
import type { Part } from './kernel.ts'

const TABLES = `
  CREATE TABLE told_modes (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL,
    changes TEXT NOT NULL
  ) STRICT;
`

/** The modes that Control has told an object which decides without a caller. */
export class ToldModes implements Part {
  readonly migration = { id: 'told-modes', sql: TABLES }
  readonly #sql: SqlStorage
  #kept: { number: number; changes: readonly ModesChange[] } | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The modes in force, and those that follow. None before the first is told. */
  get changes(): readonly ModesChange[] {
    this.#kept ??= this.#read()
    return this.#kept.changes
  }

  /** Drops the state in memory. The database has it, or has undone it. */
  forget(): void {
    this.#kept = null
  }

  /** Accepts the modes as of a version, unless a newer one is known. */
  take(number: number, changes: readonly ModesChange[]): void {
    this.#kept ??= this.#read()
    if (number < this.#kept.number) return
    this.#sql.exec(
      'INSERT OR REPLACE INTO told_modes (id, number, changes) VALUES (1, ?, ?)',
      ...[number, JSON.stringify(changes)],
    )
    this.#kept = { number, changes }
  }

  #read(): { number: number; changes: readonly ModesChange[] } {
    const [row] = this.#sql
      .exec<{ number: number; changes: string }>('SELECT number, changes FROM told_modes')
      .toArray()
    if (!row) return { number: 0, changes: [] }
    return { number: row.number, changes: JSON.parse(row.changes) as ModesChange[] }
  }
}
