import type { StuckFacts, StuckObject } from '../../src/health/facts.ts'

/** The objects with messages that they could not deliver, by their own reports. */
const TABLES = `
  CREATE TABLE stuck (
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    messages INTEGER NOT NULL,
    since INTEGER NOT NULL,
    reported_at INTEGER NOT NULL,
    PRIMARY KEY (class, name)
  ) STRICT, WITHOUT ROWID;
`

/** An object's messages that failed repeatedly. */
export interface StuckReport {
  /** The object's class and name. */
  class: string
  name: string
  /** 0 once all of them have been delivered. */
  messages: number
}

/**
 * Stuck messages are retried and reported at least every five minutes. An object that misses four reports has none
 * left.
 */
const FORGET_AFTER_MS = 1_200_000

const MAX_LISTED = 100

/** The reports on stuck messages: one row for each object with any. */
export class StuckStore {
  readonly migration = { id: 'stuck', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  note({ class: kind, name, messages }: StuckReport, at: number): void {
    if (messages === 0) {
      this.#sql.exec('DELETE FROM stuck WHERE class = ? AND name = ?', kind, name)
      return
    }
    this.#sql.exec(
      `INSERT INTO stuck (class, name, messages, since, reported_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET messages = excluded.messages, reported_at = excluded.reported_at`,
      kind,
      name,
      messages,
      at,
      at,
    )
  }

  list(): StuckObject[] {
    return this.#sql
      .exec<{ class: string; name: string; messages: number; since: number }>(
        'SELECT class, name, messages, since FROM stuck ORDER BY since LIMIT ?',
        MAX_LISTED,
      )
      .toArray()
  }

  facts(at: number): StuckFacts {
    this.#sql.exec('DELETE FROM stuck WHERE reported_at < ?', at - FORGET_AFTER_MS)
    const rows = this.#sql
      .exec<{ class: string; objects: number; messages: number; since: number }>(
        `SELECT class, count(*) AS objects, sum(messages) AS messages, min(since) AS since
         FROM stuck GROUP BY class`,
      )
      .toArray()
    const sum = (field: 'objects' | 'messages') => rows.reduce((all, row) => all + row[field], 0)
    return {
      objects: sum('objects'),
      messages: sum('messages'),
      oldestAt: rows.length === 0 ? null : Math.min(...rows.map(({ since }) => since)),
      byClass: Object.fromEntries(
        rows.map(({ class: kind, objects, messages }) => [kind, { objects, messages }]),
      ),
    }
  }
}
