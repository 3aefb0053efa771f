import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { crashTable } from '../../src/objects.ts'

/** A multi-statement `exec` only reports the rows of its last statement, so each is run by itself. */
const STATEMENT_END = /;\s*\n/

/** Numbers by what they are for. */
export type Counts = Record<string, number>

export function count(counts: Counts, what: string, by = 1): void {
  counts[what] = (counts[what] ?? 0) + by
}

export function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}

/**
 * Counts the rows written in all objects from now on, by the table, index rows and alarms included, as the
 * platform bills them.
 */
export async function countRows(): Promise<{ rows: Counts; stop: () => void }> {
  const rows: Counts = {}
  const spies = await runInDurableObject(crashTable(env), (_, { storage }: DurableObjectState) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const exec: SqlStorage['exec'] = Reflect.get(sql, 'exec')
    const execSpy = vi.spyOn(sql, 'exec').mockImplementation(function (
      this: SqlStorage,
      query: string,
      ...bindings: unknown[]
    ) {
      const statements = query.split(STATEMENT_END).filter((statement) => statement.trim() !== '')
      const run = statements.map((statement) => {
        const cursor = exec.call(this, statement, ...bindings)
        if (cursor.rowsWritten > 0) count(rows, tableOf(statement), cursor.rowsWritten)
        return cursor
      })
      return run.at(-1) as never
    })
    const prototype = Object.getPrototypeOf(storage) as DurableObjectStorage
    const setAlarm: DurableObjectStorage['setAlarm'] = Reflect.get(prototype, 'setAlarm')
    const alarmSpy = vi.spyOn(prototype, 'setAlarm').mockImplementation(function (
      this: DurableObjectStorage,
      at: number | Date,
    ) {
      count(rows, 'alarm')
      return setAlarm.call(this, at)
    })
    return [execSpy, alarmSpy]
  })
  return { rows, stop: () => spies.forEach((spy) => spy.mockRestore()) }
}

/** Returns the rows that some work writes in the databases, index rows included. */
export async function d1RowsWritten(work: () => Promise<unknown>): Promise<number> {
  let rows = 0
  const add = ({ meta }: D1Result) => (rows += meta.rows_written)
  const statement = Object.getPrototypeOf(env.HISTORY.prepare('SELECT 1')) as D1PreparedStatement
  const database = Object.getPrototypeOf(env.HISTORY) as D1Database
  const run = Reflect.get(statement, 'run') as () => Promise<D1Result>
  const batch: D1Database['batch'] = Reflect.get(database, 'batch')
  const spies = [
    vi.spyOn(statement, 'run').mockImplementation(async function (this: D1PreparedStatement) {
      const result = await run.call(this)
      add(result)
      return result
    }),
    vi.spyOn(database, 'batch').mockImplementation(async function (this: D1Database, statements) {
      const results = await batch.call(this, statements)
      results.forEach(add)
      return results
    }),
  ]
  await work()
  for (const spy of spies) spy.mockRestore()
  return rows
}

/** The table that a statement creates, or whose rows it writes. */
function tableOf(statement: string): string {
  return (
    /(?:INTO|UPDATE|FROM|TABLE(?: IF NOT EXISTS)?|INDEX \w+ ON)\s+(\w+)/.exec(statement)?.[1] ?? ''
  )
}
