import type { ModesChange } from '../../src/operator/modes.ts'
import { nextVersion, type ModesVersion, type Settings } from '../../src/operator/versions.ts'
import type { Part } from '../kernel/kernel.ts'

/** Every version, and the act that made it. `published` has the number of the latest in the public log. */
const TABLES = `
  CREATE TABLE versions (
    number INTEGER PRIMARY KEY,
    act_id TEXT NOT NULL UNIQUE,
    takes_effect_at INTEGER NOT NULL,
    version TEXT NOT NULL
  ) STRICT;
  CREATE TABLE published (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL) STRICT;
`

/** The versions of the modes and terms that operators have set. */
export class ModesStore implements Part {
  readonly migration = { id: 'modes', sql: TABLES }
  readonly #sql: SqlStorage
  /** Undefined until it is read. */
  #latest: ModesVersion | null | undefined

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Makes the version that an act orders, once. */
  set(actId: string, settings: Settings, now: number): ModesVersion {
    const made = this.madeBy(actId)
    if (made) return made
    const version = nextVersion(this.latest(), settings, now)
    this.#insert(actId, version)
    return version
  }

  /** Returns the version that an act has made; null if it has made none. */
  madeBy(actId: string): ModesVersion | null {
    return this.#select('act_id = ?', actId)[0] ?? null
  }

  /**
   * Takes over a version from the public log, which received it from this object before the object was restored.
   * @param actId the act that made it, so that it is not carried out again
   */
  adopt(version: ModesVersion, actId: string): void {
    this.#insert(actId, version)
    this.markPublished(version)
  }

  /** Returns the newest version, which may not have taken effect yet; null before the first. */
  latest(): ModesVersion | null {
    if (this.#latest === undefined) {
      this.#latest = this.#select('number = (SELECT max(number) FROM versions)')[0] ?? null
    }
    return this.#latest
  }

  /** Returns the modes in force at a time, and all later changes. */
  changes(now: number): ModesChange[] {
    return this.#select(
      'number >= coalesce((SELECT max(number) FROM versions WHERE takes_effect_at <= ?), 0)',
      now,
    ).map(({ number, takesEffectAt, modes, terms }) => ({ number, takesEffectAt, modes, terms }))
  }

  /** Returns whether a switch has been closed since a time. */
  isClosedSince(name: string, since: number): boolean {
    const versions = this.changes(since)
    const [first] = versions
    return (
      first !== undefined &&
      first.takesEffectAt <= since &&
      versions.every(({ modes }) => Object.hasOwn(modes, name) && modes[name] === 'closed')
    )
  }

  /** Returns the versions that the public log may not have, in their order, each with the act that made it. */
  unpublished(): { version: ModesVersion; actId: string }[] {
    return this.#rows('number > coalesce((SELECT number FROM published), 0)')
  }

  markPublished({ number }: ModesVersion): void {
    this.#sql.exec('INSERT OR REPLACE INTO published (id, number) VALUES (1, ?)', number)
  }

  forget(): void {
    this.#latest = undefined
  }

  #insert(actId: string, version: ModesVersion): void {
    this.forget()
    this.#sql.exec(
      'INSERT INTO versions (number, act_id, takes_effect_at, version) VALUES (?, ?, ?, ?)',
      version.number,
      actId,
      version.takesEffectAt,
      JSON.stringify(version),
    )
  }

  #select(where: string, ...bindings: (string | number)[]): ModesVersion[] {
    return this.#rows(where, ...bindings).map(({ version }) => version)
  }

  #rows(
    where: string,
    ...bindings: (string | number)[]
  ): { version: ModesVersion; actId: string }[] {
    return this.#sql
      .exec<{ version: string; actId: string }>(
        `SELECT version, act_id AS actId FROM versions WHERE ${where} ORDER BY number`,
        ...bindings,
      )
      .toArray()
      .map(({ version, actId }) => ({ version: JSON.parse(version) as ModesVersion, actId }))
  }
}
