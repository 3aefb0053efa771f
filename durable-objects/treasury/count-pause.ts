import { BEAT_EVERY_MS, MAX_DOUBT_MS } from '../../src/vault/trust.ts'

const TABLES = `
  CREATE TABLE count_pause (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    until INTEGER NOT NULL
  ) STRICT;
  INSERT INTO count_pause (id, until) VALUES (1, 0);
`

/**
 * Reading all positions may take D1 at most one part in this many of the time, because it answers nobody else
 * meanwhile. Once a count takes longer than three seconds, the cron trigger's counts become rarer than a minute.
 */
const SHARE_OF_TIME = 20
/** The longest pause after reading them, so that a doubt can pass before the last count becomes invalid. */
const LONGEST_PAUSE_MS = MAX_DOUBT_MS / 2

/** Until when the cron trigger's counts don't read the positions again, to spare D1. */
export class CountPause {
  readonly migration = { id: 'count-pause', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the end of the pause, in unix milliseconds; it may have passed. */
  until(): number {
    return this.#sql.exec<{ until: number }>('SELECT until FROM count_pause').one().until
  }

  /**
   * Begins the pause after a reading. It is stored, because the object falls asleep between two counts; one that ends
   * before the next count costs no row. Times in unix milliseconds.
   */
  note(startedAt: number, endedAt: number): void {
    const pauseMs = Math.min((endedAt - startedAt) * SHARE_OF_TIME, LONGEST_PAUSE_MS)
    if (pauseMs > BEAT_EVERY_MS)
      this.#sql.exec('UPDATE count_pause SET until = ?', endedAt + pauseMs)
  }
}
