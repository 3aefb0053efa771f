import type { ReportedCounts, RoundReport } from '../../src/crash/state.ts'
import { logFault } from '../../src/log.ts'

/** Cash-outs within this time are reported together. */
export const GATHER_MS = 100
/** Bets within this time are reported together: nobody has to see them as quickly. */
export const GATHER_BETS_MS = 250

/** A failed report is repeated this often, at these intervals. */
const RETRIES = 3
const RETRY_MS = 1_000

/**
 * Reports stored changes of a round to its follower. Lives in memory only, and nothing waits for it: the
 * follower also asks at intervals, which makes up for lost reports. Costs nothing in a round without a
 * follower.
 */
export class Reporter {
  readonly #report: (since: ReportedCounts) => RoundReport
  readonly #object: string
  readonly #tell: (report: RoundReport) => Promise<void>
  #isFollowed = false
  /** The counts that the follower certainly has. */
  #known: ReportedCounts = { winCount: 0, betCount: 0 }
  #sent: Pick<RoundReport, keyof ReportedCounts | 'stage'> | null = null
  #isTelling = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueAt = Infinity
  #ranFor = -Infinity
  #failures = 0

  /** @param report advances the round to the present and reports the wins and bets after `since` */
  constructor(
    report: (since: ReportedCounts) => RoundReport,
    tell: (report: RoundReport) => Promise<void>,
    object: string,
  ) {
    this.#object = object
    this.#report = report
    this.#tell = tell
  }

  /** Starts reporting. The first report is the answer to the follower. */
  follow(known: ReportedCounts): RoundReport {
    this.#isFollowed = true
    this.#known = known
    const report = this.#report(known)
    this.#sent = report
    return report
  }

  /** Ends reporting, because the round is gone. */
  stop(): void {
    this.#isFollowed = false
    clearTimeout(this.#timer)
  }

  /** Makes sure the round is advanced by a time. An alarm may be later, or wait for a delivery. */
  reportBy(dueAt: number | null, now: number): void {
    if (!this.#isFollowed || dueAt === null) return
    // A timer that is due stays: an alarm at the same time must not replace it by the one after it.
    const isSet = this.#dueAt <= dueAt
    // A timer that fires early is not set again, because the alarm is set too.
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
      const report = this.#report(this.#known)
      const isNewStage = report.stage !== this.#sent?.stage
      if (!isNewStage && this.#isSent(report)) return
      // Bets and cash-outs don't queue up for a slow follower. The crash is reported without waiting.
      if (this.#isTelling && !isNewStage) this.reportBy(report.asOf + GATHER_MS, report.asOf)
      else await this.#send(report)
    } catch (fault) {
      logFault('stream_report_failed', fault, { object: this.#object })
    }
  }

  #isSent({ winCount, betCount }: RoundReport): boolean {
    return winCount === this.#sent?.winCount && betCount === this.#sent.betCount
  }

  async #send(report: RoundReport): Promise<void> {
    this.#isTelling = true
    this.#sent = report
    try {
      await this.#tell(report)
      this.#known = {
        winCount: Math.max(this.#known.winCount, report.winCount),
        betCount: Math.max(this.#known.betCount, report.betCount),
      }
      this.#failures = 0
    } catch (fault) {
      this.#sent = null
      const isLast = this.#failures++ >= RETRIES
      if (!isLast) this.reportBy(report.asOf + RETRY_MS, report.asOf)
      throw fault
    } finally {
      this.#isTelling = false
    }
  }
}
