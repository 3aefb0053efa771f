import type { RoundReport } from '../../src/crash/state.ts'
import { logFault } from '../../src/log.ts'

/** Cash-outs within this time are reported together. */
export const GATHER_MS = 100

/**
 * Reports to whoever follows a round when something of it has changed and been written down. It
 * lives in memory alone and nobody waits for it: the follower asks again now and then, which makes
 * good whatever is lost. A round that nobody follows pays nothing for it.
 */
export class Reporter {
  readonly #report: (since: number) => RoundReport
  readonly #tell: (report: RoundReport) => Promise<void>
  #isFollowed = false
  /** How many cash-outs the follower knows of for sure. */
  #knownWins = 0
  #sent: Pick<RoundReport, 'winCount' | 'stage'> | null = null
  #isTelling = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueAt = Infinity
  #ranFor = -Infinity

  /** @param report brings the round to the present and tells its cash-outs after the first `since` */
  constructor(
    report: (since: number) => RoundReport,
    tell: (report: RoundReport) => Promise<void>,
  ) {
    this.#report = report
    this.#tell = tell
  }

  /** Reports from now on; the first report is the follower's answer. */
  follow(winCount: number): RoundReport {
    this.#isFollowed = true
    this.#knownWins = winCount
    const report = this.#report(winCount)
    this.#sent = report
    return report
  }

  /** Makes sure that the round is looked at by then. An alarm may be later, or wait for a delivery. */
  reportBy(dueAt: number | null, now: number): void {
    if (!this.#isFollowed || dueAt === null) return
    const isSet = this.#dueAt > now && this.#dueAt <= dueAt
    // A timer that was early is not set again: the alarm is there as well.
    const wasEarly = dueAt === this.#ranFor && dueAt > now
    if (isSet || wasEarly) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, dueAt - now))
  }

  async #run(): Promise<void> {
    this.#ranFor = this.#dueAt
    this.#dueAt = Infinity
    try {
      const report = this.#report(this.#knownWins)
      const isNewStage = report.stage !== this.#sent?.stage
      if (!isNewStage && report.winCount === this.#sent?.winCount) return
      // Cash-outs do not pile up before a slow follower; the crash waits for nothing.
      if (this.#isTelling && !isNewStage) this.reportBy(report.asOf + GATHER_MS, report.asOf)
      else await this.#send(report)
    } catch (fault) {
      logFault('stream_report_failed', fault)
    }
  }

  async #send(report: RoundReport): Promise<void> {
    this.#isTelling = true
    this.#sent = report
    try {
      await this.#tell(report)
      this.#knownWins = Math.max(this.#knownWins, report.winCount)
    } catch (fault) {
      this.#sent = null
      throw fault
    } finally {
      this.#isTelling = false
    }
  }
}
