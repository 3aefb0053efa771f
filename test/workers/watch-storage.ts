import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { crashTable } from '../../src/calls/objects.ts'

/** A multi-statement `exec` only reports the rows of its last statement, so each is run by itself. */
const STATEMENT_END = /;\s*\n/

type Cursor = { rowsWritten: number }

/** Reports each statement and each setting of an alarm in all objects. Returns a function that ends it. */
export async function watchStorage({
  onStatement,
  onAlarm = () => {},
}: {
  onStatement: (statement: string, cursor: Cursor) => void
  onAlarm?: () => void
}): Promise<() => void> {
  const spies = await runInDurableObject(crashTable(env), (_, { storage }: DurableObjectState) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const exec: SqlStorage['exec'] = Reflect.get(sql, 'exec')
    const execSpy = vi.spyOn(sql, 'exec').mockImplementation(function (
      this: SqlStorage,
      query: string,
      ...bindings: unknown[]
    ) {
      const statements = query.split(STATEMENT_END).filter((statement) => statement.trim() !== '')
      const cursors = statements.map((statement) => {
        const cursor = exec.call(this, statement, ...bindings)
        onStatement(statement, cursor)
        return cursor
      })
      return cursors.at(-1) as never
    })
    const prototype = Object.getPrototypeOf(storage) as DurableObjectStorage
    const setAlarm: DurableObjectStorage['setAlarm'] = Reflect.get(prototype, 'setAlarm')
    const alarmSpy = vi.spyOn(prototype, 'setAlarm').mockImplementation(function (
      this: DurableObjectStorage,
      at: number | Date,
    ) {
      onAlarm()
      return setAlarm.call(this, at)
    })
    return [execSpy, alarmSpy]
  })
  return () => spies.forEach((spy) => spy.mockRestore())
}
