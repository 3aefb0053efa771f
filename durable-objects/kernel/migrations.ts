import { invariant } from '../../src/core/invariant.ts'
import { transact } from './transact.ts'

/** Some of an object's tables. Never edit a statement that has been deployed: append another one. */
export interface Migration {
  /** The tables' purpose. */
  id: string
  /** CREATE TABLE, CREATE INDEX, INSERT INTO a new table, and ALTER TABLE … ADD COLUMN. */
  sql: string
}

/** An object's tables and indexes: each name with the statement that made it. */
export type Schema = ReadonlyMap<string, string>

const STATEMENT = /^(CREATE TABLE|CREATE INDEX|INSERT INTO|ALTER TABLE) (\w+)(?: ADD COLUMN (.+)$)?/

const APPEND = 'Append a statement instead of editing one.'

/** Returns whether an object has never stored anything. Reading it should not change that. */
export function isBlank(storage: DurableObjectStorage): boolean {
  return schemaOf(storage).size === 0
}

export function hasTable(storage: DurableObjectStorage, name: string): boolean {
  return schemaOf(storage).has(name)
}

/** Reads an object's schema, in one statement. The platform's own tables begin with an underscore. */
export function schemaOf(storage: DurableObjectStorage): Schema {
  const made = storage.sql.exec<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_%' ESCAPE '\\'`,
  )
  return new Map([...made].map(({ name, sql }) => [name, sql]))
}

/**
 * Makes the tables that an object lacks. A migration only adds, so an older deployment can still use data
 * written by a newer one, and nothing has to record which of them have run.
 * @throws if a table was made by another statement
 */
export function migrate(
  storage: DurableObjectStorage,
  migrations: readonly Migration[],
  schema: Schema = schemaOf(storage),
): void {
  const missing = missingFrom(schema, migrations)
  if (missing.length === 0) return
  transact(storage, () => {
    for (const statement of missing) storage.sql.exec(statement)
  })
}

/** Returns the statements that an object has not run yet. @throws if a table was made by another statement */
export function missingFrom(schema: Schema, migrations: readonly Migration[]): string[] {
  return migrations.flatMap(({ id, sql }) =>
    statementsOf(sql).filter((statement) => !hasRun(schema, statement, id)),
  )
}

function hasRun(schema: Schema, statement: string, id: string): boolean {
  const [, verb, name = '', column] = STATEMENT.exec(statement) ?? []
  invariant(verb, 'a migration creates tables and indexes, fills new tables and adds columns')
  const made = schema.get(name)
  if (column !== undefined) return made?.includes(`, ${column}`) ?? false
  if (made === undefined || verb === 'INSERT INTO' || isMadeBy(statement, made)) {
    return made !== undefined
  }
  throw new Error(`"${name}" was made by another statement than that of "${id}". ${APPEND}`)
}

/** SQLite keeps the text of a statement, and inserts the columns that are added later in one place. */
function isMadeBy(statement: string, made: string): boolean {
  if (made === statement) return true
  let same = 0
  while (same < statement.length && statement[same] === made[same]) same++
  const rest = statement.slice(same)
  return rest !== '' && made.length > statement.length && made.endsWith(rest)
}

function statementsOf(sql: string): string[] {
  return sql
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
