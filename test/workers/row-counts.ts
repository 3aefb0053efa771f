import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { watchStorage } from './watch-storage.ts'

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
  const stop = await watchStorage({
    onStatement: (statement, { rowsWritten }) => {
      if (rowsWritten > 0) count(rows, tableOf(statement), rowsWritten)
    },
    onAlarm: () => count(rows, 'alarm'),
  })
  return { rows, stop }
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
