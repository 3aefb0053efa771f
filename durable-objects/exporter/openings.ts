import { retried } from '../../src/calls/call.ts'
import { lootboxDay } from '../../src/calls/objects.ts'
import { KEY_OF, openingRow } from '../../src/exports/rows.ts'
import { markExported, unexportedOpenings } from '../../src/history/openings.ts'
import { logEvent } from '../../src/log.ts'
import type { Opening } from '../../src/lootbox/opening.ts'
import type { Part } from '../kernel/kernel.ts'
import { hasRow } from '../kernel/rows.ts'
import type { Job, Page, Source } from './source.ts'

/** The openings that were exported. D1 marks them too, but can be lost and rebuilt without the marks. */
const TABLES = `
  CREATE TABLE exported_openings (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`

const OPENINGS = 200

/**
 * Openings whose day has disclosed its seed. Other openings stay unexported and are found on a later day, as late ones
 * are.
 */
export class Openings implements Part, Source {
  readonly migration = { id: 'exported-openings', sql: TABLES }
  readonly dataset = 'openings'
  readonly #sql: SqlStorage
  readonly #env: Env
  readonly #object: string

  constructor(sql: SqlStorage, env: Env, object: string) {
    this.#object = object
    this.#sql = sql
    this.#env = env
  }

  async page({ before }: Job, cursor: string): Promise<Page> {
    const found = await unexportedOpenings(this.#env.HISTORY, {
      before,
      after: cursor,
      limit: OPENINGS,
    })
    const exported = found.map(({ id }) => id).filter((id) => this.#isExported(id))
    if (exported.length > 0) await this.#mark(exported)
    const fresh = found.filter(({ id }) => !exported.includes(id))
    const seeds = await this.#seedsOf(fresh)
    const rows = fresh.flatMap((opening) => {
      const seed = seeds.get(opening.day)
      if (seed === undefined) return []
      const row = openingRow(opening, seed)
      return [{ key: KEY_OF.openings(row), line: JSON.stringify(row) }]
    })
    return {
      rows,
      cursor: found.length < OPENINGS ? null : (found.at(-1)?.id ?? null),
      keep: () => {
        for (const { key } of rows) {
          this.#sql.exec('INSERT INTO exported_openings (id) VALUES (?)', key)
        }
      },
    }
  }

  /** Marks openings in D1, so that they are not found again. They are exported once even without the mark. */
  async #mark(ids: string[]): Promise<void> {
    try {
      await markExported(this.#env.HISTORY, ids)
    } catch (fault) {
      logEvent('export_openings_not_marked', { object: this.#object, message: String(fault) })
    }
  }

  #isExported(id: string): boolean {
    return hasRow(this.#sql.exec('SELECT 1 FROM exported_openings WHERE id = ?', id))
  }

  /** Returns the seeds of those days that have disclosed them. */
  async #seedsOf(openings: readonly Opening[]): Promise<Map<string, string>> {
    const days = [...new Set(openings.map(({ day }) => day))]
    const disclosed = await Promise.all(
      days.map((day) => retried(async () => lootboxDay(this.#env, day).disclosure())),
    )
    return new Map(
      disclosed.flatMap((day): [string, string][] => (day?.seed ? [[day.day, day.seed]] : [])),
    )
  }
}
