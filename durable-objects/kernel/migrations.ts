import { transact } from './transact.ts'

/** A change to an object's tables. Never edit one that has been deployed. */
export interface Migration {
  /** Unique among the migrations of one object. */
  id: string
  /** SQL statements that only add. */
  sql: string
}

/** Returns whether an object has never stored anything. Reading it should not change that. */
export function isBlank(storage: DurableObjectStorage): boolean {
  return !hasTable(storage, 'migrations')
}

export function hasTable(storage: DurableObjectStorage, name: string): boolean {
  const tables = storage.sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', name)
  return tables.toArray().length > 0
}

/**
 * Brings an object's tables up to date. Migrations are only ever appended and only ever add, so an
 * older deployment can still use data written by a newer one.
 * @throws if the object has another migration in place of one of these
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly Migration[]): void {
  const done = checkMigrations(storage, migrations)
  if (done >= migrations.length) return
  transact(storage, () => {
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT',
    )
    for (const { id, sql } of migrations.slice(done)) {
      storage.sql.exec(sql)
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
  if (isBlank(storage)) return 0
  const done = storage.sql
    .exec<{ id: string }>('SELECT id FROM migrations ORDER BY number')
    .toArray()
  for (const [index, { id }] of migrations.slice(0, done.length).entries()) {
    const found = done[index]?.id
    if (found === id) continue
    throw new Error(
      `This object's migration ${index + 1} is "${found}", but this deployment expects "${id}". Append migrations at the end of the list; never reorder, rename or remove them.`,
    )
  }
  return done.length
}
