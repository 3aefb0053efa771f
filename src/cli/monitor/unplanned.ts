import { isoTime } from '../../core/utc-day.ts'
import type { Breach } from '../../transparency/follower.ts'
import { LATENESS_MS } from '../../verify/logged-round.ts'
import type { LogReading } from '../../verify/logged.ts'
import type { ShownRound } from '../../verify/shown-round.ts'

/** A log without the table's rounds, or a table without an answer, is reported after this time, and as often. */
export const REPORTED_AFTER_MS = 600_000

/** Times are in unix milliseconds, by the reader's clock. */
interface Unplanned {
  shown: ShownRound
  at: number
  /** Since when the log has lacked the rounds of the table, or when that was last reported. */
  since: number
}

/**
 * The table's round, while the log has no plan of it. A house that shows somebody a log that stands still could
 * otherwise play on unseen.
 */
export class UnplannedRound {
  #round: Unplanned | null = null
  #firstSeenAt: number | null = null

  /** Whether the table has to be asked again: before bets are fixed, a missing plan proves nothing. */
  get isAwaited(): boolean {
    return this.#round !== null && !hasBets(this.#round.shown)
  }

  /** Takes the table's view. @param at when it answered */
  see(shown: ShownRound, reading: LogReading, at: number): void {
    this.#firstSeenAt ??= at
    // A closed table keeps showing its last round, whose plan may be in the log before this one.
    const isOlder = shown.betsCloseAt <= (reading.beganAt ?? this.#firstSeenAt)
    if (isOlder || reading.hasReached(shown.roundId)) this.#round = null
    else if (!this.#round || this.isAwaited) {
      this.#round = { shown, at, since: this.#round?.since ?? at }
    }
  }

  /**
   * Judges a log that has no plan of the round. The service takes bets only once it has logged the plan, so a round
   * without bets can be that of an honest house whose log takes no entries.
   * @param checkpointAt when the checkpoint of the reading was asked for
   */
  judge(
    reading: LogReading,
    checkpointAt: number,
  ): { breach: Breach | null; notice: string | null } {
    const nothing = { breach: null, notice: null }
    if (this.#round && reading.hasReached(this.#round.shown.roundId)) this.#round = null
    if (!this.#round) return nothing
    const { shown, at, since } = this.#round
    if (hasBets(shown) && checkpointAt >= at + LATENESS_MS) {
      const claim = 'the plan of a round is public before its bets close'
      const finding = `the table showed round ${shown.roundId} with ${shown.betCount} bets at ${isoTime(at)} by your clock, and at ${isoTime(checkpointAt)} the log had no plan of it`
      return { ...nothing, breach: { claim, finding, evidence: { shown, at, checkpointAt } } }
    }
    if (checkpointAt < since + REPORTED_AFTER_MS) return nothing
    this.#round.since = checkpointAt
    const notice = `The table plays on, now in round ${shown.roundId}, but the log has had no new round since ${isoTime(since)}. While the log takes no entries, nobody can bet. If bets are taken, the house hides the log: compare yours with others.`
    return { ...nothing, notice }
  }
}

function hasBets({ betsRoot, betCount }: ShownRound): boolean {
  return betsRoot !== null && betCount !== null && betCount > 0
}
