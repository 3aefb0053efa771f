import type { AlarmManager } from './alarms.ts'
import type { Disk, Row } from './disk.ts'

/** The rows of one query. */
class Cursor {
  readonly rowsWritten: number
  readonly rowsRead: number
  readonly #rows: readonly Row[]

  constructor(rows: readonly Row[], changes: number) {
    this.#rows = rows
    this.rowsRead = rows.length
    this.rowsWritten = changes
  }

  toArray(): readonly Row[] {
    return this.#rows
  }

  one(): Row {
    const [row] = this.#rows
    if (!row || this.#rows.length > 1)
      throw new Error(`Expected exactly one result from SQL query, but got ${this.#rows.length}`)
    return row
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows[Symbol.iterator]()
  }
}

/**
 * Returns an object's `ctx.storage`: SQL, transactions and the alarm.
 * @param disk returns the instance's current disk
 */
export function storageOf(disk: () => Disk, alarms: AlarmManager): object {
  return {
    sql: {
      exec(query: string, ...bindings: unknown[]) {
        const { rows, changes } = disk().exec(query, bindings)
        return new Cursor(rows, changes)
      },
      get databaseSize() {
        return disk().sizeBytes
      },
    },
    transactionSync: <T>(work: () => T): T => disk().atomically(work),
    getAlarm: async () => alarms.get(disk()),
    setAlarm: async (at: number | Date) => alarms.set(disk(), Number(at)),
    deleteAlarm: async () => alarms.set(disk(), null),
    deleteAll: async () => {
      disk().erase()
      alarms.set(disk(), null)
    },
  }
}
