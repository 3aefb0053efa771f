import { evictDurableObject, listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { NAMESPACES, type Namespace } from './namespaces.ts'
import { Player } from './support.ts'
import { watchStorage } from './watch-storage.ts'

/** What some work costs in all objects together. D1 is not included. */
export interface Costs {
  /** Rows written, including those of indexes, and alarms set. */
  rows: number
  /** Calls to objects, from the router or from other objects, and alarms that ran. */
  calls: number
  statements: number
  /** Bytes that the objects store afterwards and did not store before. */
  bytes: number
}

/** Returns what some work costs, as counted by the runtime. It wakes every object first. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const storedBefore = await storedBytes()
  const cursors: { rowsWritten: number }[] = []
  let [alarms, calls] = [0, 0]
  const stop = await watchStorage({
    onStatement: (_statement, cursor) => cursors.push(cursor),
    onAlarm: () => alarms++,
  })
  const namespaces = Object.getPrototypeOf(env.LEDGER) as Namespace
  const getByName: Namespace['getByName'] = Reflect.get(namespaces, 'getByName')
  const callSpy = vi.spyOn(namespaces, 'getByName').mockImplementation(function (
    this: Namespace,
    name: string,
  ) {
    return counting(getByName.call(this, name), () => calls++)
  })
  await work()
  callSpy.mockRestore()
  stop()
  // Some statements write only while their rows are read.
  const rows = cursors.reduce((total, cursor) => total + cursor.rowsWritten, alarms)
  const bytes = (await storedBytes()) - storedBefore
  return { rows, calls, statements: cursors.length, bytes }
}

/** Returns a stub that reports each call of a method. */
function counting<Stub extends object>(stub: Stub, onCall: () => void): Stub {
  return new Proxy(stub, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function' || key === 'constructor') return value
      return (...args: unknown[]) => {
        onCall()
        return Reflect.apply(value, target, args)
      }
    },
  })
}

/** The names of rounds and wallets by their ids: more than any test uses, whose files share a runtime. */
const NAMES = new Map([
  ...Array.from({ length: 1_000 }, (_, round) => named(env.CRASH_ROUND, String(round + 1))),
  ...Array.from({ length: 10 }, (_, player) => named(env.LEDGER, new Player(player).wallet)),
])

function named(namespace: Pick<Namespace, 'idFromName'>, name: string) {
  return [namespace.idFromName(name).toString(), name] as const
}

/** Returns the bytes of all rows and index entries in all objects. */
async function storedBytes(): Promise<number> {
  let total = 0
  for (const namespace of NAMESPACES) {
    for (const id of await listDurableObjectIds(namespace)) {
      // An object that was woken by its id does not know its name, which rounds and ledgers need.
      const name = NAMES.get(id.toString())
      const stub = name === undefined ? namespace.get(id) : namespace.getByName(name)
      const bytes = await runInDurableObject(stub, (_, { storage }) => bytesIn(storage.sql))
      // Other tests have touched rounds that are not open yet. Waking one is part of what it costs.
      if (bytes === 0 && namespace === env.CRASH_ROUND) await evictDurableObject(stub)
      total += bytes
    }
  }
  return total
}

function bytesIn(sql: SqlStorage): number {
  const tables = sql
    .exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'`,
    )
    .toArray()
  return tables.reduce((total, { name }) => total + bytesOfTable(sql, name), 0)
}

function bytesOfTable(sql: SqlStorage, table: string): number {
  // The primary key of a table WITHOUT ROWID is the table itself, which the schema does not list again.
  const indexes = sql
    .exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?`,
      table,
    )
    .toArray()
  const columns = indexes.flatMap(({ name }) =>
    sql.exec<{ name: string }>(`PRAGMA index_info(${name})`).toArray(),
  )
  return [...sql.exec(`SELECT * FROM ${table}`)].reduce(
    (total, row) =>
      total +
      [...Object.values(row), ...columns.map(({ name }) => row[name])].reduce(
        (bytes: number, value) => bytes + bytesOfValue(value ?? null),
        0,
      ),
    0,
  )
}

/** Returns the bytes of a value and its type in a record: https://www.sqlite.org/fileformat2.html#record_format */
function bytesOfValue(value: SqlStorageValue): number {
  const TYPE = 1
  if (value === null) return TYPE
  if (typeof value === 'string') return TYPE + new TextEncoder().encode(value).length
  if (typeof value !== 'number') return TYPE + value.byteLength
  if (value === 0 || value === 1) return TYPE
  if (!Number.isInteger(value)) return TYPE + 8
  const magnitude = value < 0 ? -value - 1 : value
  return TYPE + ([1, 2, 3, 4, 6].find((bytes) => magnitude < 2 ** (8 * bytes - 1)) ?? 8)
}
