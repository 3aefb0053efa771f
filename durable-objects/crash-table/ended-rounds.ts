import {
  HISTORY_LENGTH,
  RECENT_WINS_LENGTH,
  type RoundResult,
  type Win,
} from '../../src/crash/result.ts'
import type { RoundView, Snapshot } from '../../src/crash/state.ts'
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

const RECENT = `
  SELECT * FROM (SELECT 'newest' AS kind, result AS value FROM rounds ORDER BY round_id DESC LIMIT 1)
  UNION ALL
  SELECT * FROM (
    SELECT 'settled', result FROM rounds WHERE kind = 'settled' ORDER BY round_id DESC LIMIT ?
  )
  UNION ALL
  SELECT * FROM (SELECT 'win', win FROM wins ORDER BY at DESC)
`

/** The ended rounds and their wins in every view of the table, newest first. */
interface Recent {
  newest: RoundResult | null
  settled: readonly RoundResult[]
  wins: readonly Win[]
}

/** The results of all ended rounds, and the newest wins. */
export class EndedRounds {
  readonly migration: Migration = { id: 'ended-rounds', sql: TABLES }
  readonly #sql: SqlStorage
  /** Null until it is read, and after each change. */
  #recent: Recent | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the number of the newest round; 0 if there is none. */
  newest(): number {
    return this.recent().newest?.roundId ?? 0
  }

  /** Returns the newest settled rounds, including the one shown if it isn't stored yet. */
  history({ result }: RoundView, length: number): Snapshot['history'] {
    const fresh = result && !this.has(result.roundId) ? [result] : []
    const { settled } = this.recent()
    const known = length <= HISTORY_LENGTH ? settled : this.results(`kind = 'settled'`, length)
    return [...fresh, ...known]
      .filter((ended) => ended.kind === 'settled')
      .slice(0, length)
      .map(({ roundId, crash }) => ({ roundId, crash }))
  }

  /** Returns the newest wins of all rounds. Wins of a round that isn't stored yet come from its view. */
  winsWith({ plan, wins }: RoundView): Win[] {
    const fresh = this.has(plan.roundId) ? [] : wins
    return [...fresh, ...this.recent().wins].slice(0, RECENT_WINS_LENGTH)
  }

  /**
   * Returns the newest round, the newest settled rounds and the newest wins: everything that a view shows, in one
   * query.
   */
  recent(): Recent {
    this.#recent ??= this.#readRecent()
    return this.#recent
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
    this.#recent = null
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

  /** Adds the wins of a round, and forgets all but the newest of all rounds. */
  addWins(roundId: number, wins: readonly Win[]): void {
    this.#recent = null
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

  #readRecent(): Recent {
    const rows = this.#sql.exec<{ kind: string; value: string }>(RECENT, HISTORY_LENGTH).toArray()
    const valuesOf = (wanted: string) =>
      rows.flatMap(({ kind, value }) => (kind === wanted ? [JSON.parse(value) as unknown] : []))
    const [newest = null] = valuesOf('newest') as RoundResult[]
    return {
      newest,
      settled: valuesOf('settled') as RoundResult[],
      wins: valuesOf('win') as Win[],
    }
  }
}
