import type { Stage } from '../../src/crash/plan.ts'
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
  /** What the follower knows for sure. */
  #winCount = 0
  #stage: Stage | null = null
  #isTelling = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueAt = Infinity
  /** Nothing is looked for twice at the same time: the alarm is there as well. */
  #doneAt = -Infinity

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
    this.#winCount = winCount
    const report = this.#report(winCount)
    this.#stage = report.stage
    return report
  }

  /** Makes sure that the round is looked at by then. An alarm may be later, or wait for a delivery. */
  reportBy(dueAt: number | null, now: number): void {
    if (!this.#isFollowed || dueAt === null || dueAt === this.#doneAt) return
    const isSet = this.#dueAt > now && this.#dueAt <= dueAt
    if (isSet) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, dueAt - now))
  }

  async #run(): Promise<void> {
    this.#doneAt = this.#dueAt
    this.#dueAt = Infinity
    try {
      const report = this.#report(this.#winCount)
      const { winCount, stage } = report
      if (winCount === this.#winCount && stage === this.#stage) return
      // Cash-outs do not pile up before a follower that is slow, nor does the crash wait for it.
      if (this.#isTelling && stage === this.#stage) {
        this.reportBy(report.asOf + GATHER_MS, report.asOf)
        return
      }
      this.#isTelling = true
      await this.#tell(report)
      this.#winCount = winCount
      this.#stage = stage
    } catch (fault) {
      logFault('the live stream was not told of a round', fault)
    }
    this.#isTelling = false
  }
}
