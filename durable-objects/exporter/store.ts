import type { ExportedDay, ExportFile } from '../../src/exports/manifest.ts'
import { firstRow } from '../kernel/rows.ts'
import type { Job, Page, WrittenRows } from './source.ts'

/**
 * `job` has one row while a day is written: the range that the day covers, and how far the export has come. `progress`
 * has one row: where the next day begins, since when it has waited for rounds, and in `is_trimmed` whether the history
 * has no bets of exported rounds.
 */
const TABLES = `
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    next_day TEXT NOT NULL,
    rounds_after INTEGER NOT NULL,
    since INTEGER NOT NULL,
    is_trimmed INTEGER NOT NULL DEFAULT 0,
    waiting_since INTEGER
  ) STRICT;
  CREATE TABLE job (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    day TEXT NOT NULL,
    before INTEGER NOT NULL,
    rounds_after INTEGER NOT NULL,
    rounds_last INTEGER NOT NULL,
    since INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    stage INTEGER NOT NULL DEFAULT 0,
    cursor TEXT DEFAULT '',
    row_count INTEGER NOT NULL DEFAULT 0,
    bets INTEGER NOT NULL DEFAULT 0,
    first TEXT,
    last TEXT
  ) STRICT;
  CREATE TABLE job_files (
    stage INTEGER PRIMARY KEY,
    file TEXT NOT NULL
  ) STRICT;
  CREATE TABLE exported_days (
    day TEXT PRIMARY KEY,
    manifest TEXT NOT NULL,
    sha256 TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Where the next day begins. */
export interface Progress {
  nextDay: string
  roundsAfter: number
  since: number
}

/** A day being written: the number of its current file, and how far that has come. */
export interface StoredJob extends Job, WrittenRows {
  startedAt: number
  stage: number
  /** Null once the file has all its rows. */
  cursor: string | null
  first: string | null
  last: string | null
}

/** The rows of the exporter. Every method that writes runs in its caller's transaction. */
export class ExporterStore {
  readonly migration = { id: 'exporter', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  progress(): Progress | null {
    return firstRow(
      this.#sql.exec<{ nextDay: string; roundsAfter: number; since: number }>(
        'SELECT next_day AS nextDay, rounds_after AS roundsAfter, since FROM progress',
      ),
    )
  }

  /** Returns since when the next day has waited for rounds; null if it has not. */
  waitingSince(): number | null {
    return (
      firstRow(
        this.#sql.exec<{ since: number | null }>('SELECT waiting_since AS since FROM progress'),
      )?.since ?? null
    )
  }

  waitSince(at: number): void {
    this.#sql.exec('UPDATE progress SET waiting_since = ?', at)
  }

  /** Returns the number of the last exported round while the history may have exported bets; null afterwards. */
  untrimmed(): number | null {
    return (
      firstRow(
        this.#sql.exec<{ roundsAfter: number }>(
          `SELECT rounds_after AS roundsAfter FROM progress WHERE is_trimmed = 0 AND rounds_after > 0`,
        ),
      )?.roundsAfter ?? null
    )
  }

  /** Records that the history has no exported bet of the rounds up to a number, unless more are exported by now. */
  markTrimmed(upTo: number): void {
    this.#sql.exec('UPDATE progress SET is_trimmed = 1 WHERE rounds_after = ?', upTo)
  }

  /** Saves the progress of the exports. The bets of all exported rounds are to be deleted from the history again. */
  saveProgress({ nextDay, roundsAfter, since }: Progress): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO progress (id, next_day, rounds_after, since) VALUES (1, ?, ?, ?)`,
      nextDay,
      roundsAfter,
      since,
    )
  }

  job(): StoredJob | null {
    return firstRow(
      this.#sql.exec<{
        day: string
        before: number
        roundsAfter: number
        roundsLast: number
        since: number
        startedAt: number
        stage: number
        cursor: string | null
        rows: number
        bets: number
        first: string | null
        last: string | null
      }>(
        `SELECT day, before, rounds_after AS roundsAfter, rounds_last AS roundsLast, since,
           started_at AS startedAt, stage, cursor, row_count AS rows, bets, first, last FROM job`,
      ),
    )
  }

  startJob(job: Job, startedAt: number): void {
    const { day, before, roundsAfter, roundsLast, since } = job
    this.#sql.exec(
      `INSERT INTO job (id, day, before, rounds_after, rounds_last, since, started_at)
       VALUES (1, ?, ?, ?, ?, ?, ?)`,
      day,
      before,
      roundsAfter,
      roundsLast,
      since,
      startedAt,
    )
  }

  /** Records that a page of the current file is stored. */
  passPage({ rows, cursor, bets = 0 }: Page): void {
    this.#sql.exec(
      `UPDATE job SET cursor = ?, row_count = row_count + ?, bets = bets + ?,
         first = coalesce(first, ?), last = coalesce(?, last)`,
      cursor,
      rows.length,
      bets,
      rows.at(0)?.key ?? null,
      rows.at(-1)?.key ?? null,
    )
  }

  /** Has the job write a file from its start. */
  turnTo(stage: number): void {
    this.#sql.exec(
      `UPDATE job SET stage = ?, cursor = '', row_count = 0, first = NULL, last = NULL`,
      stage,
    )
  }

  /** Records that a file is complete, and turns to the next one. */
  passFile(stage: number, file: ExportFile): void {
    this.#sql.exec('INSERT INTO job_files (stage, file) VALUES (?, ?)', stage, JSON.stringify(file))
    this.turnTo(stage + 1)
  }

  /** Returns the files of the job that are complete. */
  files(): ExportFile[] {
    return this.#sql
      .exec<{ file: string }>('SELECT file FROM job_files ORDER BY stage')
      .toArray()
      .map(({ file }) => JSON.parse(file) as ExportFile)
  }

  closeDay({ day, manifest, sha256 }: ExportedDay): void {
    this.#sql.exec(
      'INSERT INTO exported_days (day, manifest, sha256) VALUES (?, ?, ?)',
      day,
      manifest,
      sha256,
    )
    this.#sql.exec('DELETE FROM job')
    this.#sql.exec('DELETE FROM job_files')
  }

  /** Returns the closed days, newest first. @param before only earlier days than this one; null for all */
  days(limit: number, before: string | null = null): ExportedDay[] {
    return this.#sql
      .exec<{ day: string; manifest: string; sha256: string }>(
        `SELECT day, manifest, sha256 FROM exported_days
         WHERE ?1 IS NULL OR day < ?1 ORDER BY day DESC LIMIT ?2`,
        before,
        limit,
      )
      .toArray()
  }
}
