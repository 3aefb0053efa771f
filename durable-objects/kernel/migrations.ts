import { transact } from './transact.ts'

/** Whether an object has never written anything. Looking at it should leave it so. */
export function isBlank(storage: DurableObjectStorage): boolean {
  return !hasTable(storage, 'migrations')
}

export function hasTable(storage: DurableObjectStorage, name: string): boolean {
  const tables = storage.sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', name)
  return tables.toArray().length > 0
}

/**
 * Brings an object's tables up to date. Migrations are only ever appended and only ever add, so
 * that an older deployment can still work on what a newer one has written.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  transact(storage, () => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT')
    const { version } = storage.sql
      .exec<{ version: number }>('SELECT count(*) AS version FROM migrations')
      .one()
    migrations.slice(version).forEach((statements, index) => {
      storage.sql.exec(statements)
      storage.sql.exec('INSERT INTO migrations (version) VALUES (?)', version + index + 1)
    })
  })
}
