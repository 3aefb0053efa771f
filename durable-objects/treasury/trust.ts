import { writeHeartbeat } from '../../src/history/bankroll.ts'
import { logFault } from '../../src/log.ts'
import { failingAfterSuccess, type Doubts } from '../../src/vault/standing.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Stored } from '../kernel/stored.ts'

/** Why D1's positions may not be trusted, with the highest known heartbeat and when one last failed. */
type Known = Doubts & { beat: number; failedAt: number | null }

/** Whether D1's positions can be trusted: whether it accepts writes, was not restored, and lacks no wallet. */
export class Trust {
  readonly #sql: SqlStorage
  readonly #clock: Clock
  readonly #object: string

  constructor(sql: SqlStorage, clock: Clock, object: string) {
    this.#sql = sql
    this.#clock = clock
    this.#object = object
  }

  known(): Known {
    return this.#sql
      .exec<Stored<Known>>(
        `SELECT beat, failing_since AS failingSince, failed_at AS failedAt,
           restored_at AS restoredAt, incomplete_since AS incompleteSince FROM trust`,
      )
      .one()
  }

  /** Writes D1's heartbeat. Records whether D1 accepts writes and has not been restored. Never throws. */
  async beat(db: D1Database): Promise<void> {
    try {
      // The next number follows the one that was found, so that another restore shows, too.
      const beat = (await this.#beatOnce(db)) ?? (await this.#beatOnce(db))
      const { failingSince, failedAt } = this.known()
      this.#sql.exec(
        'UPDATE trust SET beat = max(beat, ?), failing_since = ?',
        beat ?? 0,
        failingAfterSuccess(failingSince, failedAt, this.#clock.now()),
      )
    } catch (fault) {
      logFault('heartbeat_write_failed', fault, { object: this.#object })
      const now = this.#clock.now()
      this.#sql.exec(
        'UPDATE trust SET failing_since = coalesce(failing_since, ?), failed_at = ?',
        ...[now, now],
      )
    }
  }

  /** Records that the heartbeat is lower than one read or written before, and goes by the lower one from now on. */
  expectBeat(found: number, known: number): boolean {
    if (found >= known) return true
    logFault('database_restored', new Error('its heartbeat went back'), {
      object: this.#object,
      found,
      known,
    })
    this.#sql.exec('UPDATE trust SET restored_at = ?, beat = ?', this.#clock.now(), found)
    return false
  }

  /** Records that every position has been sent again since a restore, unless there was another. */
  endRestore(restoredAt: number): void {
    this.#sql.exec('UPDATE trust SET restored_at = NULL WHERE restored_at = ?', restoredAt)
  }

  /** @param isComplete whether the positions agree with the vault's logs */
  noteCompleteness(isComplete: boolean): void {
    if (isComplete) this.#sql.exec('UPDATE trust SET incomplete_since = NULL')
    else {
      this.#sql.exec(
        'UPDATE trust SET incomplete_since = coalesce(incomplete_since, ?)',
        this.#clock.now(),
      )
    }
  }

  /** Returns the number that D1 has now, or null if it has not gone on from the known one. */
  async #beatOnce(db: D1Database): Promise<number | null> {
    const before = this.known().beat
    const found = await writeHeartbeat(db, before + 1)
    return this.expectBeat(found, before) ? Math.max(found, before + 1) : null
  }
}
