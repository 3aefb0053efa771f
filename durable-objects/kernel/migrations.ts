import { transact } from './transact.ts'

/** A change to an object's tables. Never edit one that has been deployed. */
export interface Migration {
  /** Unique among the migrations of one object. */
  id: string
  /** SQL statements that only add. */
  sql: string
}

const APPEND = 'Append migrations at the end of the list; never reorder, rename or remove them.'

/** Returns whether an object has never stored anything. Reading it should not change that. */
export function isBlank(storage: DurableObjectStorage): boolean {
  return tablesOf(storage).size === 0
}

export function hasTable(storage: DurableObjectStorage, name: string): boolean {
  return tablesOf(storage).has(name)
}

/** The platform's own tables begin with an underscore. */
function tablesOf(storage: DurableObjectStorage): Set<string> {
  const tables = storage.sql.exec<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'`,
  )
  return new Set([...tables].map(({ name }) => name))
}

/**
 * Brings an object's tables up to date. Migrations are only ever appended and only ever add, so an
 * older deployment can still use data written by a newer one. An object that has had only the first one
 * records nothing, which spares small objects the rows.
 * @throws if the object has another migration in place of one of these
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly Migration[]): void {
  const done = checkMigrations(storage, migrations)
  if (done >= migrations.length) return
  transact(storage, () => {
    for (const { sql } of migrations.slice(done)) storage.sql.exec(sql)
    if (migrations.length === 1) return
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT',
    )
    // The first is recorded with the second.
    for (const { id } of migrations.slice(done === 1 ? 0 : done)) {
      storage.sql.exec('INSERT INTO migrations (id) VALUES (?)', id)
    }
  })
}

/**
 * Compares an object's migrations with the expected ones. An object may lack the latest ones, and may
 * have later ones from a newer deployment.
 * @returns the number of migrations the object has
 * @throws if it has another migration in place of one of these
 */
export function checkMigrations(
  storage: DurableObjectStorage,
  migrations: readonly Migration[],
): number {
  const tables = tablesOf(storage)
  if (tables.size === 0) return 0
  if (!tables.has('migrations')) {
    const [first] = migrations
    const made = /CREATE TABLE (\w+)/.exec(first?.sql ?? '')?.[1]
    if (made !== undefined && tables.has(made)) return 1
    throw new Error(
      `This object has other tables than those of its first migration, "${first?.id}". ${APPEND}`,
    )
  }
  const done = storage.sql
    .exec<{ id: string }>('SELECT id FROM migrations ORDER BY number')
    .toArray()
  for (const [index, { id }] of migrations.slice(0, done.length).entries()) {
    const found = done[index]?.id
    if (found === id) continue
    throw new Error(
      `This object's migration ${index + 1} is "${found}", but this deployment expects "${id}". ${APPEND}`,
    )
  }
  return done.length
}
