import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from './copy.ts'
import { Disk, type Row } from './disk.ts'
import { D1_BROKEN, D1_FULL, type Fault } from './faults.ts'
import type { World } from './world.ts'

const POSSIBLE: readonly Fault[] = ['request-lost', 'answer-lost', 'late', 'delayed', 'full']

interface Result {
  success: true
  results: Row[]
  meta: { changes: number }
}

/** Returns the migrations of a database, in order. */
export function d1Migrations(root: string, database: string): string[] {
  const folder = join(root, 'src/history/migrations', database.toLowerCase())
  return readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** A D1 database: one statement or batch at a time, each a transaction. */
export class D1 {
  disk: Disk
  /** When it last went back to an earlier time, in true unix milliseconds; null if it never has. */
  restoredAt: number | null = null
  /** A copy of an earlier time. */
  #earlier: Disk | null = null
  readonly #world: World
  readonly #name: string

  constructor(world: World, name: string, migrations: readonly string[]) {
    this.#world = world
    this.#name = name
    this.disk = new Disk(name, world.random)
    for (const sql of migrations) this.disk.exec(sql, [])
    this.disk.confirm()
  }

  /** Keeps a copy of what it has now. */
  backUp(): void {
    this.#earlier ??= this.disk.copy(`${this.#name} (restored)`)
  }

  /** Goes back to the time of the copy, if `column` of `table` was lower then. Returns what it is now, or null. */
  restore(table: string, column: string): number | null {
    const earlier = this.#earlier
    const numberIn = (disk: Disk) =>
      Number(disk.exec(`SELECT max(${column}) AS number FROM ${table}`, []).rows[0]?.['number'])
    if (!earlier || !(numberIn(earlier) < numberIn(this.disk))) return null
    this.disk.close()
    this.disk = earlier
    this.#earlier = null
    this.restoredAt = this.#world.scheduler.now
    return numberIn(this.disk)
  }

  close(): void {
    this.disk.close()
    this.#earlier?.close()
  }

  prepare(sql: string): Statement {
    return new Statement(this, sql, [])
  }

  async batch(statements: Statement[]): Promise<Result[]> {
    return this.send(statements)
  }

  /** Executes statements in one transaction, from the code that is running. */
  send(statements: readonly Statement[]): Promise<Result[]> {
    const { scheduler, faults } = this.#world
    const from = scheduler.current
    const crossing = faults.crossing(`${from?.name ?? 'world'}>${this.#name}`)
    const boundary = `${from?.kind ?? 'world'}>${this.#name}`
    const isWrite = statements.some(({ sql }) => !/^\s*SELECT/i.test(sql))
    const take = (leg: string) => this.#world.latency(`${crossing} ${leg}`)
    return new Promise((resolve, reject) => {
      const settle = (run: () => void) =>
        scheduler.after(take('back'), `answer to ${crossing}`, from, run)
      const fail = (message: string) => settle(() => reject(new Error(message)))
      const execute = (delayMs: number, done: (results: Result[]) => void) =>
        scheduler.after(delayMs, crossing, null, () => {
          try {
            done(this.#execute(statements))
          } catch (fault) {
            fail(`D1_ERROR: ${fault instanceof Error ? fault.message : String(fault)}`)
          }
        })
      const send = () => {
        this.#world.leave(
          () => `${crossing}: ${textOf(statements.map(({ sql, bindings }) => [sql, bindings]))}`,
        )
        const fault = faults.at(boundary, crossing, POSSIBLE)
        if (fault) this.#world.tell(() => `${crossing}: ${fault}`)
        const succeed = (results: Result[]) => settle(() => resolve(results))
        if (fault === 'request-lost') fail(D1_BROKEN)
        else if (fault === 'full' && isWrite) fail(D1_FULL)
        else if (fault === 'answer-lost') execute(take('there'), () => fail(D1_BROKEN))
        else if (fault === 'late') {
          fail(D1_BROKEN)
          execute(this.#world.lateness(crossing), () => {})
        } else if (fault === 'delayed') execute(this.#world.lateness(crossing), succeed)
        else execute(take('there'), succeed)
      }
      if (from) from.whenConfirmed(send)
      else send()
    })
  }

  #execute(statements: readonly Statement[]): Result[] {
    try {
      const results = this.disk.atomically(() =>
        statements.map(({ sql, bindings }): Result => {
          const { rows, changes } = this.disk.exec(sql, bindings)
          return { success: true, results: rows, meta: { changes } }
        }),
      )
      this.disk.confirm()
      return results
    } catch (fault) {
      this.disk.lose()
      throw fault
    }
  }
}

class Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
  readonly #database: D1

  constructor(database: D1, sql: string, bindings: readonly unknown[]) {
    this.#database = database
    this.sql = sql
    this.bindings = bindings
  }

  bind(...bindings: unknown[]): Statement {
    return new Statement(this.#database, this.sql, bindings)
  }

  async run(): Promise<Result | undefined> {
    const [result] = await this.#database.send([this])
    return result
  }

  async all(): Promise<Result | undefined> {
    return this.run()
  }

  /** @param column of the row; absent for the whole row */
  async first(column?: string): Promise<unknown> {
    const result = await this.run()
    const row = result?.results[0] ?? null
    return column === undefined || row === null ? row : row[column]
  }
}
