import { logFault } from '../../src/log.ts'
import { earliest } from '../kernel/alarm.ts'
import { DELIVERY_MS, inTime, REPORT_FROM_ATTEMPT, retryDelayMs } from '../kernel/outbox.ts'

/** One turn tells at most this many. */
export const BATCH = 100

/** Who or what waits to be told, when it is due, and how often that has failed. */
export type Telling = [subject: string, dueAt: number, attempts: number]

/**
 * What others must hear from a round and may not know: that it has ended, and how bets have. Kept in memory
 * only, so that a bet costs no row for it: a round that wakes up tells everything again, unless it has stored
 * the little that was left. Every telling is safe to repeat.
 */
export class Tellings {
  readonly #tell: (subject: string) => Promise<void>
  readonly #waiting = new Map<string, { dueAt: number; attempts: number }>()
  /** Those now being told, so that an alarm doesn't repeat what a request has begun. */
  readonly #underWay = new Set<string>()

  constructor(tell: (subject: string) => Promise<void>) {
    this.#tell = tell
  }

  get size(): number {
    return this.#waiting.size
  }

  add(subject: string, dueAt: number): void {
    this.#waiting.set(subject, { dueAt, attempts: 0 })
  }

  /** Removes a subject that its caller has told. */
  delete(subject: string): void {
    this.#waiting.delete(subject)
  }

  /** Returns what waits, to be stored. */
  all(): Telling[] {
    return [...this.#waiting].map(([subject, { dueAt, attempts }]) => [subject, dueAt, attempts])
  }

  /** Replaces what waits. */
  replace(tellings: Telling[]): void {
    this.#waiting.clear()
    for (const [subject, dueAt, attempts] of tellings)
      this.#waiting.set(subject, { dueAt, attempts })
  }

  /** Returns when the next subject is due that is not being told, or null. */
  nextDueAt(now: number): number | null {
    let first: number | null = null
    for (const [subject, { dueAt }] of this.#waiting) {
      if (this.#underWay.has(subject)) continue
      // Asked at every call to the round, while thousands may wait.
      if (dueAt <= now) return dueAt
      first = Math.min(first ?? dueAt, dueAt)
    }
    return earliest(first, this.#underWay.size > 0 ? now + DELIVERY_MS : null)
  }

  /** Tells everything that is due, a batch at a time. Never throws for those who do not answer. */
  async drain(now: number): Promise<void> {
    const due = [...this.#waiting]
      .filter(([subject, { dueAt }]) => dueAt <= now && !this.#underWay.has(subject))
      .toSorted(([, a], [, b]) => a.dueAt - b.dueAt)
      .slice(0, BATCH)
    await Promise.all(due.map(([subject]) => this.#try(subject, now)))
  }

  async #try(subject: string, now: number): Promise<void> {
    this.#underWay.add(subject)
    try {
      await inTime(this.#tell(subject))
      this.#waiting.delete(subject)
    } catch (fault) {
      const attempts = (this.#waiting.get(subject)?.attempts ?? 0) + 1
      this.#waiting.set(subject, { dueAt: now + retryDelayMs(attempts), attempts })
      if (attempts >= REPORT_FROM_ATTEMPT) {
        logFault('outbox_message_stuck', fault, { kind: 'round', id: subject, attempts })
      }
    } finally {
      this.#underWay.delete(subject)
    }
  }
}
