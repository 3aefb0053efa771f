import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { Recovery } from '../../durable-objects/ledger/recovery.ts'
import { ledger } from '../../src/calls/objects.ts'

/** All tables of a ledger, each with its rows. */
type State = { name: string; sql: string; rows: Record<string, SqlStorageValue>[] }[]

/** Returns everything that a ledger has stored. */
export function stateOf(wallet: string): Promise<State> {
  return runInDurableObject(ledger(env, wallet), (_, { storage }) => read(storage))
}

/** Returns a state in which a ledger starts, and can't say what its player has set. */
export function damaged(state: State): State {
  return state.map((table) =>
    table.name === 'protection'
      ? { ...table, rows: table.rows.map((row) => ({ ...row, state: '{' })) }
      : table,
  )
}

/** Has a ledger lose what it has stored since, as if the platform had restored it. It restarts. */
export async function bringBack(wallet: string, state: State): Promise<void> {
  await runInDurableObject(ledger(env, wallet), (_, { storage }) => replace(storage, state))
  await ledger(env, wallet)
    .restart()
    .catch(() => {})
}

/** The local runtime has no point-in-time recovery: from here on a ledger goes back to a state of this story. */
export async function goesBackTo(wallet: string, state: State) {
  const storage = await runInDurableObject(ledger(env, wallet), (_, context) => context.storage)
  return vi.spyOn(Recovery.prototype, 'askPlatform').mockImplementation(async () => {
    replace(storage, state)
    return { undo: 'the-bookmark-before' }
  })
}

function read({ sql }: DurableObjectStorage): State {
  const tables = sql
    .exec<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'
       ORDER BY type = 'table' DESC`,
    )
    .toArray()
  return tables.map((table) => ({
    ...table,
    rows: table.sql.startsWith('CREATE TABLE')
      ? sql.exec<Record<string, SqlStorageValue>>(`SELECT * FROM ${table.name}`).toArray()
      : [],
  }))
}

function replace(storage: DurableObjectStorage, state: State): void {
  const { sql } = storage
  storage.transactionSync(() => {
    for (const { name, sql: made } of read(storage)) {
      if (made.startsWith('CREATE TABLE')) sql.exec(`DROP TABLE ${name}`)
    }
    for (const { sql: made } of state) sql.exec(made)
    for (const { name, rows } of state) {
      for (const row of rows) {
        const places = Object.keys(row).map(() => '?')
        sql.exec(
          `INSERT INTO ${name} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
          ...Object.values(row),
        )
      }
    }
  })
}
