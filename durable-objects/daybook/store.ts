import { PARTNER, type DaybookLine } from '../../src/daybook/lines.ts'
import type { CountedDay } from '../../src/daybook/report.ts'
import { firstRow } from '../kernel/rows.ts'
import { textOf, type Stored } from '../kernel/stored.ts'

/**
 * `days` has each day that was counted, and `lines` its sums by accounts. `progress` has the day to be counted next.
 * `job` has one row while a day is counted: the last finished wallet, the partly read wallet with the number of its
 * last read operation, and the results so far. `failed_at` is when the job last failed; null once it has resumed.
 */
const TABLES = `
  CREATE TABLE days (
    day TEXT PRIMARY KEY,
    counted_at INTEGER NOT NULL,
    is_closed INTEGER NOT NULL,
    wallets INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    problems TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lines (
    day TEXT NOT NULL,
    asset TEXT NOT NULL,
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    amount_wei TEXT NOT NULL,
    PRIMARY KEY (day, asset, debit, credit)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    next_day TEXT NOT NULL
  ) STRICT;
  CREATE TABLE job (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    day TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    wallet TEXT NOT NULL,
    reading TEXT NOT NULL,
    seq INTEGER NOT NULL,
    wallets INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    problems TEXT NOT NULL,
    lines TEXT NOT NULL,
    failed_at INTEGER
  ) STRICT;
`

/** The day being counted, and how far the count has come. */
export interface Job extends Pick<CountedDay, 'day' | 'wallets' | 'entries' | 'problems'> {
  /** In unix milliseconds. */
  startedAt: number
  /** The last wallet that is done; empty before the first. */
  wallet: string
  /** A wallet that has been read in part, and the last operation read; empty and 0 for none. */
  reading: string
  seq: number
  lines: DaybookLine[]
}

/** The rows of the daybook. Every method that writes runs in its caller's transaction. */
export class DaybookStore {
  readonly migration = { id: 'daybook', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the day to be counted next; null before the first call. */
  nextDay(): string | null {
    return (
      firstRow(this.#sql.exec<{ day: string }>('SELECT next_day AS day FROM progress'))?.day ?? null
    )
  }

  saveNextDay(day: string): void {
    this.#sql.exec('INSERT OR REPLACE INTO progress (id, next_day) VALUES (1, ?)', day)
  }

  job(): Job | null {
    const row = firstRow(
      this.#sql.exec<Stored<Job>>(
        `SELECT day, started_at AS startedAt, wallet, reading, seq, wallets, entries, problems, lines
         FROM job`,
      ),
    )
    if (!row) return null
    const lines = (JSON.parse(row.lines) as Stored<DaybookLine>[]).map(lineOf)
    return { ...row, problems: JSON.parse(row.problems) as string[], lines }
  }

  /** Returns when the job last failed; null without one, or once it has resumed. */
  failedAt(): number | null {
    return (
      firstRow(this.#sql.exec<{ failedAt: number | null }>('SELECT failed_at AS failedAt FROM job'))
        ?.failedAt ?? null
    )
  }

  noteFailure(at: number): void {
    this.#sql.exec('UPDATE job SET failed_at = ?', at)
  }

  /** Stores a job as it has begun or resumed. */
  saveJob({ day, startedAt, wallet, reading, seq, wallets, entries, problems, lines }: Job): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO job
         (id, day, started_at, wallet, reading, seq, wallets, entries, problems, lines)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      day,
      startedAt,
      wallet,
      reading,
      seq,
      wallets,
      entries,
      JSON.stringify(problems),
      textOf(lines),
    )
  }

  /** Ends the job with a day's books, in place of an earlier count of it. */
  saveDay(
    { day, countedAt, isClosed, wallets, entries, problems }: CountedDay,
    lines: DaybookLine[],
  ) {
    this.#sql.exec('DELETE FROM job')
    this.#sql.exec('DELETE FROM lines WHERE day = ?', day)
    this.#sql.exec(
      `INSERT OR REPLACE INTO days (day, counted_at, is_closed, wallets, entries, problems)
       VALUES (?, ?, ?, ?, ?, ?)`,
      day,
      countedAt,
      isClosed ? 1 : 0,
      wallets,
      entries,
      JSON.stringify(problems),
    )
    for (const { asset, debit, credit, amountWei } of lines) {
      this.#sql.exec(
        'INSERT INTO lines (day, asset, debit, credit, amount_wei) VALUES (?, ?, ?, ?, ?)',
        day,
        asset,
        debit,
        credit,
        amountWei.toString(),
      )
    }
  }

  /** Returns the days of a range that were counted, in order. */
  days(from: string, to: string): CountedDay[] {
    return this.#sql
      .exec<Stored<CountedDay>>(
        `SELECT day, counted_at AS countedAt, is_closed AS isClosed, wallets, entries, problems
         FROM days WHERE day BETWEEN ? AND ? ORDER BY day`,
        from,
        to,
      )
      .toArray()
      .map((row) => ({
        ...row,
        isClosed: row.isClosed === 1,
        problems: JSON.parse(row.problems) as string[],
      }))
  }

  /** Returns the newest day that was counted; null before the first. */
  newestDay(): string | null {
    return this.#sql.exec<{ day: string | null }>('SELECT max(day) AS day FROM days').one().day
  }

  /** Returns the newest day whose books are closed; null before the first. */
  newestClosedDay(): string | null {
    return (
      firstRow(
        this.#sql.exec<{ day: string }>(
          'SELECT day FROM days WHERE is_closed = 1 ORDER BY day DESC LIMIT 1',
        ),
      )?.day ?? null
    )
  }

  lines(day: string): DaybookLine[] {
    return this.#lines('day = ?', day)
  }

  /** Returns the partners' lines of all days. */
  partnerLines(): DaybookLine[] {
    return this.#lines('debit GLOB ?1 OR credit GLOB ?1', `${PARTNER}*`)
  }

  #lines(where: string, ...bindings: string[]): DaybookLine[] {
    return this.#sql
      .exec<Stored<DaybookLine>>(
        `SELECT asset, debit, credit, amount_wei AS amountWei FROM lines WHERE ${where}`,
        ...bindings,
      )
      .toArray()
      .map(lineOf)
  }
}

function lineOf({ amountWei, ...line }: Stored<DaybookLine>): DaybookLine {
  return { ...line, amountWei: BigInt(amountWei) }
}
