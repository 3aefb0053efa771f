import { readModes } from '../../src/calls/objects.ts'
import { logFault } from '../../src/log.ts'
import { READ_AGE_MS, withoutWallets, type ModesChange } from '../../src/operator/modes.ts'
import type { Part } from './kernel.ts'
import { firstRow } from './rows.ts'

const TABLES = `
  CREATE TABLE told_modes (id INTEGER PRIMARY KEY CHECK (id = 1), changes TEXT NOT NULL) STRICT;
`

/** An expression in SQL: the stored text that {@link ModesReplica.restore} takes. */
export const TOLD_MODES = '(SELECT changes FROM told_modes)'

/** The modes as Control has reported them to an object that acts without a caller. */
export class ModesReplica implements Part {
  readonly migration = { id: 'told-modes', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #object: string
  #kept: readonly ModesChange[] | null = null
  /** When to ask Control; null once it has answered. */
  #asksAt: number | null = 0

  constructor(sql: SqlStorage, object: string) {
    this.#sql = sql
    this.#object = object
  }

  /** The modes in force, and those to come; empty before the first. */
  get changes(): readonly ModesChange[] {
    this.#kept ??= this.#read()
    return this.#kept
  }

  forget(): void {
    this.#kept = null
  }

  /** Takes the stored modes from an object that has read them along with its own state. */
  restore(toldModes: string | null): void {
    this.#kept = toldModes === null ? [] : (JSON.parse(toldModes) as ModesChange[])
  }

  /**
   * Asks Control after each start of the object, which may have been restored to a time before the latest report. While
   * Control can't be reached, the stored modes hold.
   */
  async catchUp(env: Env, now: number): Promise<void> {
    if (this.#asksAt === null || now < this.#asksAt) return
    this.#asksAt = now + READ_AGE_MS
    try {
      this.take(await readModes(env))
      this.#asksAt = null
    } catch (fault) {
      logFault('modes_read_failed', fault, { object: this.#object })
    }
  }

  /**
   * Accepts a report from Control, unless a newer version is known. Leaves out the switches of wallets: no object that
   * acts without a caller needs them, and with hundreds of them the changes of a busy minute would not fit into a row.
   */
  take(reported: readonly ModesChange[]): void {
    if (!isNewer(reported.at(-1), this.changes.at(-1))) return
    const changes = reported.map(withoutWallets)
    this.#sql.exec(
      'INSERT OR REPLACE INTO told_modes (id, changes) VALUES (1, ?)',
      JSON.stringify(changes),
    )
    this.#kept = changes
  }

  #read(): readonly ModesChange[] {
    const row = firstRow(this.#sql.exec<{ changes: string }>('SELECT changes FROM told_modes'))
    return row ? (JSON.parse(row.changes) as ModesChange[]) : []
  }
}

/**
 * Returns whether a version was made after another one. Compares their times, because Control may reuse numbers after
 * it was restored to an earlier time.
 */
function isNewer(version: ModesChange | undefined, known: ModesChange | undefined): boolean {
  if (!version || !known) return version !== undefined
  if (version.takesEffectAt !== known.takesEffectAt) {
    return version.takesEffectAt > known.takesEffectAt
  }
  return version.number > known.number
}
