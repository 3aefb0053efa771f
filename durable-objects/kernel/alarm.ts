/** After this many failed tries the platform drops an alarm, so a new one takes its place. */
const LAST_RETRY = 5

const RETRY_DELAY_MS = 5_000

/**
 * An object's one alarm, as the earliest time that something is due. It is set only when that
 * time moves earlier: setting it costs a write.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage
  #setFor: number | null = null

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Reads the alarm that is set. To be called once, before the object answers anything. */
  async load(): Promise<void> {
    this.#setFor = await this.#storage.getAlarm()
  }

  /** Makes sure the object wakes by then. A time that has passed without a wake-up was lost. */
  wakeBy(dueAt: number | null, now: number): void {
    if (dueAt === null) return
    const lost = this.#setFor !== null && this.#setFor < now - RETRY_DELAY_MS
    if (this.#setFor !== null && this.#setFor <= dueAt && !lost) return
    this.#setFor = dueAt
    // Part of the same write as the rows it is for; a failure resets the object.
    void this.#storage.setAlarm(dueAt)
  }

  /** Runs the object's alarm work so that a failing one is never dropped for good. */
  async run(info: AlarmInvocationInfo | undefined, work: () => Promise<void>): Promise<void> {
    this.#setFor = null
    if ((info?.retryCount ?? 0) >= LAST_RETRY) {
      const now = Date.now()
      this.wakeBy(now + RETRY_DELAY_MS, now)
      return
    }
    await work()
  }
}
