import { answerWithin } from '../../src/calls/call.ts'
import { announceTerms } from '../../src/calls/log-terms.ts'
import { appendToLog } from '../../src/calls/public-log.ts'
import { planEntry } from '../../src/crash/log-entries.ts'
import type { RoundView } from '../../src/crash/state.ts'

/** Every view of the table waits for the public log, but not for longer than this. */
const LOG_MS = 1_000

/**
 * The plan that the public log may lack, because its round was seen to wait for it. Lives in memory only: after a
 * restart of the table, one more round may open without the log.
 */
export class AwaitedPlan {
  readonly #env: Env
  #roundId: number | null = null

  constructor(env: Env) {
    this.#env = env
  }

  /** Remembers a round that waits. */
  note({ stage, plan }: RoundView): void {
    if (stage === 'waiting') this.#roundId = plan.roundId
  }

  /**
   * Sends the plan of the newest ended round again if the public log may lack it, so that a log that recovers has it at
   * once: the round's own retries become rarer. Returns whether the log has it, as far as is known.
   */
  async sendAgain(ended: RoundView | null): Promise<boolean> {
    if (!ended || ended.plan.roundId !== this.#roundId) return true
    try {
      await answerWithin(LOG_MS, this.#append(ended))
      this.#roundId = null
      return true
    } catch {
      return false
    }
  }

  async #append({ plan, setTerms }: RoundView): Promise<void> {
    await announceTerms(this.#env, setTerms)
    await appendToLog(this.#env, planEntry(plan))
  }
}
