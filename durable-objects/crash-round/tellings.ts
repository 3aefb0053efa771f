import { logFault } from '../../src/log.ts'
import { earliest } from '../kernel/alarm.ts'
import { DELIVERY_MS, inTime, REPORT_FROM_ATTEMPT, retryDelayMs } from '../kernel/outbox.ts'

/** One turn tells at most this many. */
const BATCH = 100

/**
 * What others must hear from a round and may not know: that it has ended, and how bets have. Kept in memory
 * only, so that a bet costs no row for it: a round that wakes up tells everything again, until all of it is
 * told once. Every telling is safe to repeat.
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

  clear(): void {
    this.#waiting.clear()
  }

  /** Returns when the next subject is due that is not being told, or null. */
  nextDueAt(now: number): number | null {
    const idle = [...this.#waiting].filter(([subject]) => !this.#underWay.has(subject))
    const times = idle.map(([, { dueAt }]) => dueAt)
    return earliest(
      times.reduce<number | null>((first, at) => Math.min(first ?? at, at), null),
      this.#underWay.size > 0 ? now + DELIVERY_MS : null,
    )
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
