import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { DISK_FULL } from './faults.ts'
import type { Random } from './random.ts'

/** D1 and the objects' SQL take at most this many bound parameters. */
const MAX_BINDINGS = 100

interface Prepared {
  statement: StatementSync
  /** The names of a row's columns; none for a statement without rows. */
  columns: readonly string[]
  isWrite: boolean
}

/** What a text of SQL is, whichever database it is for. */
interface Shape {
  isScript: boolean
  isWrite: boolean
  /** The columns of its rows, unless they depend on the tables; null before it is first prepared. */
  columns: readonly string[] | null
}

const shapes = new Map<string, Shape>()
/** Some texts have numbers in them. */
const MAX_SHAPES = 20_000

export type Row = Record<string, unknown>

/**
 * An SQLite database in memory. What has been written but not confirmed is one open transaction, so
 * losing it is a rollback.
 */
export class Disk {
  readonly #database = new DatabaseSync(':memory:')
  readonly #prepared = new Map<string, Prepared>()
  readonly #random: Random
  #savepoints = 0
  #draws = 0
  /** Whether there are unconfirmed writes. */
  isDirty = false
  /** The number of writes that still fit; later ones fail, as on a full disk. */
  room = Infinity
  /** Rises with every write and every loss. */
  version = 0
  /** Rises whenever unconfirmed writes are lost. */
  losses = 0
  /** Called whenever the version rises. */
  onChange: () => void = () => {}
  /** Called for the first unconfirmed write. */
  onDirty: () => void = () => {}

  constructor(name: string, random: Random) {
    this.#random = random
    this.#database.function('random', () =>
      random.between(`${name} random() ${this.#draws++}`, 0, 2 ** 31),
    )
  }

  /** Executes SQL: several statements if there are no bindings. Returns the rows and the number of changes. */
  exec(sql: string, bindings: readonly unknown[]): { rows: Row[]; changes: number } {
    if (bindings.length === 0 && shapeOf(sql).isScript) {
      this.touch()
      this.#database.exec(sql)
      return { rows: [], changes: 0 }
    }
    const { statement, columns, isWrite } = this.#prepare(sql)
    if (isWrite) this.#takeRoom()
    if (bindings.length > MAX_BINDINGS) throw new Error('too many SQL variables: SQLITE_ERROR')
    const values = bindings.map(bindable)
    if (columns.length === 0) return { rows: [], changes: Number(statement.run(...values).changes) }
    const found = statement.all(...values) as unknown as unknown[][]
    return { rows: found.map((row) => asRow(columns, row)), changes: 0 }
  }

  /** Runs work in a savepoint, which is undone if it throws. */
  atomically<T>(work: () => T): T {
    this.touch()
    const name = `s${this.#savepoints++}`
    this.#database.exec(`SAVEPOINT ${name}`)
    try {
      const result = work()
      this.#database.exec(`RELEASE ${name}`)
      return result
    } catch (fault) {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
      throw fault
    } finally {
      this.#savepoints--
    }
  }

  /** Begins the transaction of unconfirmed writes unless it has begun. */
  touch(): void {
    this.version++
    this.onChange()
    if (this.isDirty) return
    this.#database.exec('BEGIN')
    this.isDirty = true
    this.onDirty()
  }

  confirm(): void {
    if (this.isDirty) this.#database.exec('COMMIT')
    this.isDirty = false
  }

  /** Loses the unconfirmed writes. */
  lose(): void {
    this.version++
    this.onChange()
    if (this.isDirty) {
      this.#database.exec('ROLLBACK')
      this.losses++
    }
    this.isDirty = false
  }

  /** Deletes all tables. */
  erase(): void {
    this.touch()
    const tables = this.exec(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
      [],
    ).rows
    this.#prepared.clear()
    for (const { name } of tables) this.#database.exec(`DROP TABLE ${String(name)}`)
  }

  get sizeBytes(): number {
    const [pages] = this.exec('PRAGMA page_count', []).rows
    const [size] = this.exec('PRAGMA page_size', []).rows
    return Number(pages?.['page_count']) * Number(size?.['page_size'])
  }

  /** Returns a copy with everything that has been written, confirmed or not, all of it confirmed. */
  copy(name: string): Disk {
    const copy = new Disk(name, this.#random)
    const tables = this.exec(
      `SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
       ORDER BY type = 'table' DESC, rowid`,
      [],
    ).rows
    for (const { sql } of tables) copy.#database.exec(String(sql))
    const names = tables
      .filter(({ type }) => type === 'table')
      .map((table) => String(table['name']))
    if (tables.some(({ sql }) => /AUTOINCREMENT/.test(String(sql)))) names.push('sqlite_sequence')
    for (const table of names) {
      if (table === 'sqlite_sequence') copy.#database.exec('DELETE FROM sqlite_sequence')
      const read = this.#database.prepare(`SELECT * FROM ${table}`)
      read.setReturnArrays(true)
      const rows = read.all() as unknown as unknown[][]
      if (rows.length === 0) continue
      const columns = read.columns().map(({ name: column }) => column)
      const places = columns.map(() => '?').join(', ')
      const insert = copy.#database.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
      )
      for (const row of rows) insert.run(...row.map(bindable))
    }
    return copy
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  #takeRoom(): void {
    if (this.room <= 0) throw new Error(DISK_FULL)
    this.room--
    this.touch()
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql)
    if (!prepared) {
      const statement = this.#database.prepare(sql)
      statement.setReturnArrays(true)
      const shape = shapeOf(sql)
      const columns = shape.columns ?? statement.columns().map(({ name }) => name)
      if (!/SELECT \*/i.test(sql)) shape.columns ??= columns
      prepared = { statement, columns, isWrite: shape.isWrite }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

function shapeOf(sql: string): Shape {
  let shape = shapes.get(sql)
  if (!shape) {
    if (shapes.size >= MAX_SHAPES) shapes.clear()
    const isWrite = !/^\s*(SELECT|WITH|PRAGMA|EXPLAIN)\b/i.test(sql)
    shape = { isScript: /;\s*\S/.test(sql), isWrite, columns: null }
    shapes.set(sql, shape)
  }
  return shape
}

const EMPTY_BLOB = new Uint8Array(new ArrayBuffer(1), 0, 0)

/** Returns a value as SQLite takes it. Refuses what the runtime refuses. */
function bindable(value: unknown): string | number | null | Uint8Array {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof ArrayBuffer) return bindable(new Uint8Array(value))
  // Node binds a null for bytes without a buffer behind them.
  if (value instanceof Uint8Array) return value.length > 0 ? value : EMPTY_BLOB
  throw new TypeError(`a ${typeof value} cannot be bound to SQL`)
}

/** Returns a row as the runtime does: a plain object, its blobs as buffers. */
function asRow(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) {
    const value = values[at]
    row[columns[at] as string] =
      value instanceof Uint8Array
        ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)
        : value
  }
  return row
}
