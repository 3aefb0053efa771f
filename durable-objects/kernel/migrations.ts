import { invariant } from '../../src/invariant.ts'
import { transact } from './transact.ts'

/**
 * Brings an object's tables up to date. Migrations are only ever appended; a statement list
 * that is shorter than what the object has already run belongs to an older deployment.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  transact(storage, () => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT')
    const { version } = storage.sql
      .exec<{ version: number }>('SELECT count(*) AS version FROM migrations')
      .one()
    invariant(version <= migrations.length, 'this object was written by a newer deployment')
    migrations.slice(version).forEach((statements, index) => {
      storage.sql.exec(statements)
      storage.sql.exec('INSERT INTO migrations VALUES (?)', version + index + 1)
    })
  })
}
