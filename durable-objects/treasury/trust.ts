import { answerWithin } from '../../src/calls/call.ts'
import { readHeartbeat, writeHeartbeat } from '../../src/history/bankroll.ts'
import { logFault } from '../../src/log.ts'
import { failingAfterSuccess, isSilent, type Doubts } from '../../src/vault/trust.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Stored } from '../kernel/stored.ts'

/**
 * `beat` is the highest known number of D1's heartbeat; `failed_at` is when a write of it last failed. The other times
 * are those of {@link Doubts}.
 */
const TABLES = `
  CREATE TABLE trust (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    beat INTEGER NOT NULL,
    failing_since INTEGER,
    failed_at INTEGER,
    restored_at INTEGER,
    incomplete_since INTEGER
  ) STRICT;
  INSERT INTO trust (id, beat) VALUES (1, 0);
`

/** Why D1's positions may not be trusted, with the highest known heartbeat and when one last failed. */
type TrustState = Doubts & { beat: number; failedAt: number | null }

/** A write that takes longer counts as failed. */
const WRITTEN_WITHIN_MS = 10_000

/** Whether D1's positions can be trusted: whether it accepts writes, was not restored, and lacks no wallet. */
export class Trust {
  readonly migration = { id: 'trust', sql: TABLES }
  readonly #sql: SqlStorage
  readonly #clock: Clock
  readonly #object: string
  #beating: Promise<void> | null = null

  constructor(sql: SqlStorage, clock: Clock, object: string) {
    this.#sql = sql
    this.#clock = clock
    this.#object = object
  }

  known(): TrustState {
    return this.#sql
      .exec<Stored<TrustState>>(
        `SELECT beat, failing_since AS failingSince, failed_at AS failedAt,
           restored_at AS restoredAt, incomplete_since AS incompleteSince FROM trust`,
      )
      .one()
  }

  /**
   * Writes D1's heartbeat. Records whether D1 accepts writes and has not been restored. Calls at the same time share
   * one write. D1's faults are recorded, not thrown.
   */
  beat(db: D1Database): Promise<void> {
    this.#beating ??= this.#beat(db).finally(() => {
      this.#beating = null
    })
    return this.#beating
  }

  /**
   * Writes a heartbeat unless the last try is younger, for callers that can't rely on the cron trigger. If none has
   * been written for minutes, other writes may have failed meanwhile: ledgers then get as much time to resend them as
   * after a heartbeat that failed.
   */
  async renew(db: D1Database, youngerThanMs: number): Promise<void> {
    const { beat, failedAt } = this.known()
    const now = this.#clock.now()
    if (beat === 0 || now - Math.max(beat, failedAt ?? 0) < youngerThanMs) return
    await this.beat(db)
    if (isSilent(beat, now)) this.#sql.exec('UPDATE trust SET failed_at = ?', now)
  }

  /** Asks D1 whether its heartbeat has not gone back. @throws if D1 does not answer */
  async isAsKnown(db: D1Database): Promise<boolean> {
    const { beat } = this.known()
    // A heartbeat may notice a restore meanwhile, and the known number is low then.
    return this.expectBeat(await readHeartbeat(db), beat) && this.known().restoredAt === null
  }

  /**
   * Returns whether D1's heartbeat has not gone back. If it has, stores the restore and the lower number.
   * @param found D1's number
   * @param known the known number before D1 was asked
   */
  expectBeat(found: number, known: number): boolean {
    if (found >= known) return true
    // An answer from before the latest write says nothing about D1 as it is now. The next heartbeat does.
    if (known !== this.known().beat) return false
    logFault('database_restored', new Error('its heartbeat went back'), {
      object: this.#object,
      found,
      known,
    })
    const now = this.#clock.now()
    // A restore that follows another does not make the last count valid for longer.
    this.#sql.exec(
      `UPDATE trust SET restored_at = ?, beat = ?,
         incomplete_since = coalesce(incomplete_since, ?)`,
      now,
      found,
      now,
    )
    return false
  }

  /** Records that every position has been sent again since a restore, unless there was another. */
  endRestore(restoredAt: number): void {
    this.#sql.exec('UPDATE trust SET restored_at = NULL WHERE restored_at = ?', restoredAt)
  }

  /** @param isComplete whether the positions agree with the vault's events */
  noteCompleteness(isComplete: boolean): void {
    if (isComplete) this.#sql.exec('UPDATE trust SET incomplete_since = NULL')
    else {
      this.#sql.exec(
        'UPDATE trust SET incomplete_since = coalesce(incomplete_since, ?)',
        this.#clock.now(),
      )
    }
  }

  async #beat(db: D1Database): Promise<void> {
    let beat: number | null
    try {
      // Once more with the lower number after a restore, so that a later one is noticed too.
      beat = (await this.#beatOnce(db)) ?? (await this.#beatOnce(db))
    } catch (fault) {
      logFault('heartbeat_write_failed', fault, { object: this.#object })
      const now = this.#clock.now()
      // Nothing shows that D1 has taken any write since the last heartbeat.
      const { beat: last } = this.known()
      const since = isSilent(last, now) ? last : now
      this.#sql.exec(
        'UPDATE trust SET failing_since = coalesce(failing_since, ?), failed_at = ?',
        since,
        now,
      )
      return
    }
    const { beat: before, restoredAt, failingSince, failedAt } = this.known()
    const latest = Math.max(before, beat ?? 0)
    // Until now, another restore to the same time would have gone unseen. So all must be sent again from now on.
    const isFirst = restoredAt !== null && before < restoredAt && latest >= restoredAt
    this.#sql.exec(
      'UPDATE trust SET beat = ?, failing_since = ?, restored_at = ?',
      latest,
      failingAfterSuccess(failingSince, failedAt, this.#clock.now()),
      isFirst ? latest : restoredAt,
    )
  }

  /**
   * Returns the number that D1 has now, or null if its number was below the known one. The number is the time, so that
   * none is used twice: if a restore is undone, D1's number is lower than those written since.
   */
  async #beatOnce(db: D1Database): Promise<number | null> {
    const known = this.known().beat
    const next = Math.max(this.#clock.now(), known + 1)
    const found = await answerWithin(WRITTEN_WITHIN_MS, writeHeartbeat(db, { known, next }))
    return this.expectBeat(found, known) ? Math.max(found, next) : null
  }
}
