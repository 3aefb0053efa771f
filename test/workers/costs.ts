import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { crashTable } from '../../src/objects.ts'

/** A multi-statement `exec` only reports the rows of its last statement, so each is run by itself. */
const STATEMENT_END = /;\s*\n/

/** Returns the rows that some work writes in all objects, index rows and alarms included, as the platform bills them. */
export async function rowsWritten(work: () => Promise<unknown>): Promise<number> {
  const cursors: { rowsWritten: number }[] = []
  let alarms = 0
  const spies = await runInDurableObject(crashTable(env), (_, { storage }: DurableObjectState) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const exec: SqlStorage['exec'] = Reflect.get(sql, 'exec')
    const execSpy = vi.spyOn(sql, 'exec').mockImplementation(function (
      this: SqlStorage,
      query: string,
      ...bindings: unknown[]
    ) {
      const statements = query.split(STATEMENT_END).filter((statement) => statement.trim() !== '')
      const run = statements.map((statement) => exec.call(this, statement, ...bindings))
      cursors.push(...run)
      return run.at(-1) as never
    })
    const prototype = Object.getPrototypeOf(storage) as DurableObjectStorage
    const setAlarm: DurableObjectStorage['setAlarm'] = Reflect.get(prototype, 'setAlarm')
    const alarmSpy = vi.spyOn(prototype, 'setAlarm').mockImplementation(function (
      this: DurableObjectStorage,
      at: number | Date,
    ) {
      alarms++
      return setAlarm.call(this, at)
    })
    return [execSpy, alarmSpy]
  })
  await work()
  for (const spy of spies) spy.mockRestore()
  return cursors.reduce((total, cursor) => total + cursor.rowsWritten, alarms)
}
