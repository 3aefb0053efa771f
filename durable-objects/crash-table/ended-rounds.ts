import { RECENT_WINS_LENGTH, type RoundResult, type Win } from '../../src/crash/result.ts'
import type { Migration } from '../kernel/migrations.ts'

/**
 * `rounds` holds the result of every ended round, permanently: a round that nobody bet in keeps none itself.
 * The current round is the one after the newest. `swept` is set once none of a round's messages wait.
 */
const TABLES = `
  CREATE TABLE rounds (
    round_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    bet_count INTEGER NOT NULL,
    result TEXT NOT NULL,
    swept INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX rounds_with_bets ON rounds (round_id) WHERE bet_count > 0;
  CREATE INDEX rounds_voided ON rounds (round_id) WHERE kind = 'voided';
  CREATE INDEX rounds_unswept ON rounds (round_id) WHERE swept = 0;
  CREATE TABLE wins (
    round_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    win TEXT NOT NULL
  ) STRICT;
`

/** The results of all ended rounds, and the newest wins. */
export class EndedRounds {
  readonly migration: Migration = { id: 'ended-rounds', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the number of the newest round; 0 if there is none. */
  newest(): number {
    return (
      this.#sql.exec<{ id: number | null }>('SELECT max(round_id) AS id FROM rounds').one().id ?? 0
    )
  }

  has(roundId: number): boolean {
    return roundId <= this.newest()
  }

  /** @param where a condition in SQL */
  count(where: string): number {
    return this.#sql
      .exec<{ count: number }>(`SELECT count(*) AS count FROM rounds WHERE ${where}`)
      .one().count
  }

  /** Returns results, newest first. @param where a condition in SQL */
  results(where: string, limit: number, ...values: number[]): RoundResult[] {
    return this.#sql
      .exec<{ result: string }>(
        `SELECT result FROM rounds WHERE ${where} ORDER BY round_id DESC LIMIT ?`,
        ...values,
        limit,
      )
      .toArray()
      .map(({ result }) => JSON.parse(result) as RoundResult)
  }

  /** Returns rounds whose messages wait, chosen at random so that stuck ones don't block others. */
  unswept(limit: number): number[] {
    return this.#sql
      .exec<{ round_id: number }>(
        'SELECT round_id FROM rounds WHERE swept = 0 ORDER BY random() LIMIT ?',
        limit,
      )
      .toArray()
      .map(({ round_id: roundId }) => roundId)
  }

  add(result: RoundResult, isSwept: boolean): void {
    const { roundId, kind, betCount } = result
    this.#sql.exec(
      'INSERT INTO rounds (round_id, kind, bet_count, result, swept) VALUES (?, ?, ?, ?, ?)',
      roundId,
      kind,
      betCount,
      JSON.stringify(result),
      isSwept ? 1 : 0,
    )
  }

  markSwept(roundId: number): void {
    this.#sql.exec('UPDATE rounds SET swept = 1 WHERE round_id = ? AND swept = 0', roundId)
  }

  /** Returns the newest wins, newest first. */
  wins(): Win[] {
    return this.#sql
      .exec<{ win: string }>('SELECT win FROM wins ORDER BY at DESC')
      .toArray()
      .map(({ win }) => JSON.parse(win) as Win)
  }

  /** Adds the wins of a round, and forgets all but the newest of all rounds. */
  addWins(roundId: number, wins: readonly Win[]): void {
    for (const win of wins) {
      this.#sql.exec(
        'INSERT INTO wins (round_id, at, win) VALUES (?, ?, ?)',
        roundId,
        win.at,
        JSON.stringify(win),
      )
    }
    if (wins.length === 0) return
    this.#sql.exec(
      'DELETE FROM wins WHERE rowid NOT IN (SELECT rowid FROM wins ORDER BY at DESC LIMIT ?)',
      RECENT_WINS_LENGTH,
    )
  }
}
