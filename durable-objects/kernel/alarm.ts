/** After this many failed tries the platform drops an alarm, so a new one takes its place. */
const LAST_RETRY = 5

const RETRY_DELAY_MS = 5_000

/**
 * An object's single alarm, set to the earliest due time. Setting it costs a write, so it is set only
 * when that time moves earlier. It is not set while the alarm's work runs: the work returns the next
 * due time when it ends, and runs again if it never ends.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage
  #setFor: number | null = null
  #isRunning = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Reads the current alarm. Call once, before the object answers any request. */
  async load(): Promise<void> {
    this.#setFor = await this.#storage.getAlarm()
  }

  /** Makes sure the object wakes by a time. A time that passed without a wake-up was lost. */
  wakeBy(dueAt: number | null, now: number): void {
    if (dueAt === null || this.#isRunning) return
    const lost = this.#setFor !== null && this.#setFor < now - RETRY_DELAY_MS
    if (this.#setFor !== null && this.#setFor <= dueAt && !lost) return
    this.#setFor = dueAt
    // Part of the same write as the rows it is for; a failure resets the object.
    void this.#storage.setAlarm(dueAt)
  }

  /**
   * Runs the object's alarm work so that the platform never drops a failing alarm permanently.
   * @param work returns when the object must wake next
   */
  async run(
    info: AlarmInvocationInfo | undefined,
    now: number,
    work: () => Promise<number | null>,
  ): Promise<void> {
    this.#setFor = null
    if ((info?.retryCount ?? 0) >= LAST_RETRY) {
      this.wakeBy(now + RETRY_DELAY_MS, now)
      return
    }
    this.#isRunning = true
    let dueAt: number | null
    try {
      dueAt = await work()
    } finally {
      this.#isRunning = false
    }
    this.wakeBy(dueAt, now)
  }
}

/** Returns the earliest of several times, or null if all are null. */
export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
