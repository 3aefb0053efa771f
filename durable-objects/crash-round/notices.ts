import { answerWithin } from '../../src/calls/call.ts'
import type { Round } from '../../src/crash/round.ts'
import { logFault } from '../../src/log.ts'
import { earliest } from '../kernel/alarm.ts'
import { DELIVERY_MS, REPORT_FROM_ATTEMPT, retryDelayMs } from '../kernel/outbox.ts'
import type { Owner } from '../kernel/owner.ts'

/** The largest number of notices sent at a time. */
export const BATCH = 100

/** The longest wait for a batch. A full one gets less time, because more notices are due after it. */
const BATCH_MS = 5_000
const FULL_BATCH_MS = 500

/** A pending notice: its recipient, its due time, and the number of failed attempts. */
export type Notice = [recipient: string, dueAt: number, attempts: number]

/**
 * The round's pending notices to the ledgers of its bets, the table and the history. They are kept in memory,
 * so that a bet costs no row for its notice. Every notice is safe to repeat.
 */
export class Notices {
  readonly #notify: (recipient: string) => Promise<void>
  readonly #owner: Owner
  readonly #waiting = new Map<string, { dueAt: number; attempts: number }>()
  /** Recipients being notified now, so that an alarm doesn't repeat a notice that a request is sending. */
  readonly #underWay = new Map<string, Promise<void>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(notify: (recipient: string) => Promise<void>, owner: Owner) {
    this.#owner = owner
    this.#notify = notify
  }

  get size(): number {
    return this.#waiting.size
  }

  has(recipient: string): boolean {
    return this.#waiting.has(recipient)
  }

  add(recipient: string, dueAt: number): void {
    this.#waiting.set(recipient, { dueAt, attempts: 0 })
  }

  /** Removes the notice to a recipient that the caller has notified. */
  delete(recipient: string): void {
    this.#waiting.delete(recipient)
  }

  /** Returns all pending notices. */
  all(): Notice[] {
    return [...this.#waiting].map(([recipient, { dueAt, attempts }]) => [
      recipient,
      dueAt,
      attempts,
    ])
  }

  /** Replaces all pending notices. */
  replace(notices: Notice[]): void {
    this.#waiting.clear()
    for (const [recipient, dueAt, attempts] of notices)
      this.#waiting.set(recipient, { dueAt, attempts })
  }

  /**
   * Returns when the alarm must send the next notice, or null. In flight it is never later than now: moving the alarm
   * to an earlier time delays an answer, and if that happened only when the crash is not due even earlier, an answer's
   * delay would give the crash away.
   */
  alarmDueAt(now: number, isInFlight: boolean): number | null {
    const dueAt = this.nextDueAt(now)
    return isInFlight && dueAt !== null && dueAt > now ? null : dueAt
  }

  /** Calls the round when the next notice is due, unless it has restarted: then all notices are due at once. */
  callWhenDue(now: number, call: () => void): void {
    clearTimeout(this.#timer)
    const dueAt = this.nextDueAt(now)
    if (dueAt !== null && dueAt > now) this.#timer = setTimeout(call, dueAt - now)
  }

  /** Returns the due time of the next notice that is not being sent, or null. */
  nextDueAt(now: number): number | null {
    let first: number | null = null
    for (const [recipient, { dueAt }] of this.#waiting) {
      if (this.#underWay.has(recipient)) continue
      // Every call to the round comes here, and thousands of notices may be pending.
      if (dueAt <= now) return dueAt
      first = Math.min(first ?? dueAt, dueAt)
    }
    return earliest(first, this.#underWay.size > 0 ? now + DELIVERY_MS : null)
  }

  /**
   * Sends the notices that are due, up to a batch: those of bets last. Never throws for a failing recipient. Slow
   * deliveries go on after it has returned, so they hold up neither the other notices nor the round's next step.
   */
  async drain(now: number, round: Pick<Round, 'nextDueAt'> | null = null): Promise<void> {
    const due = [...this.#waiting]
      .filter(([recipient, { dueAt }]) => dueAt <= now && !this.#underWay.has(recipient))
      .toSorted(([a, { dueAt }], [b, other]) => isBet(a) - isBet(b) || dueAt - other.dueAt)
      .slice(0, BATCH)
    const sent = Promise.all(due.map(([recipient]) => this.#try(recipient, now)))
    const stepMs = Math.max(0, (round?.nextDueAt(now) ?? Infinity) - now)
    const batchMs = due.length < BATCH ? BATCH_MS : FULL_BATCH_MS
    await answerWithin(Math.min(batchMs, stepMs), sent).catch(() => {})
  }

  /**
   * Sends a notice if it is due, and waits for it. Returns whether its recipient has it.
   * @param mostMs the longest wait; the delivery itself goes on
   */
  async send(recipient: string, now: number, mostMs = DELIVERY_MS): Promise<boolean> {
    const isDue = (this.#waiting.get(recipient)?.dueAt ?? Infinity) <= now
    const sending = this.#underWay.get(recipient) ?? (isDue ? this.#try(recipient, now) : null)
    if (sending) await answerWithin(mostMs, sending).catch(() => {})
    return !this.has(recipient)
  }

  #try(recipient: string, now: number): Promise<void> {
    // A delivery may send the notices that it depends on, before a batch comes to them.
    const underWay = this.#underWay.get(recipient)
    if (underWay) return underWay
    const tried = this.#deliver(recipient, now)
    this.#underWay.set(recipient, tried)
    return tried
  }

  async #deliver(recipient: string, now: number): Promise<void> {
    try {
      const wasStuck = (this.#waiting.get(recipient)?.attempts ?? 0) >= REPORT_FROM_ATTEMPT
      await answerWithin(DELIVERY_MS, this.#notify(recipient))
      this.#waiting.delete(recipient)
      if (wasStuck) this.#reportStuck()
    } catch (fault) {
      const notice = this.#waiting.get(recipient)
      // The caller of `delete` has notified the recipient meanwhile.
      if (!notice) return
      const attempts = notice.attempts + 1
      const delayMs = retryDelayMs(attempts, `${this.#owner.object} ${recipient}`)
      this.#waiting.set(recipient, { dueAt: now + delayMs, attempts })
      if (attempts >= REPORT_FROM_ATTEMPT) {
        const { object } = this.#owner
        logFault('outbox_message_stuck', fault, { object, kind: 'round', id: recipient, attempts })
        this.#reportStuck()
      }
    } finally {
      this.#underWay.delete(recipient)
    }
  }

  #reportStuck(): void {
    const all = [...this.#waiting.values()]
    this.#owner.reportStuck(all.filter(({ attempts }) => attempts >= REPORT_FROM_ATTEMPT).length)
  }
}

/** Returns 1 for a bet, whose id alone has colons. Only its owner waits for it; everyone waits for the others. */
function isBet(recipient: string): 0 | 1 {
  return recipient.includes(':') ? 1 : 0
}
