/** After this many failed tries the platform drops an alarm, so a new one takes its place. */
const LAST_RETRY = 5

const RETRY_DELAY_MS = 5_000

/**
 * An object's one alarm, as the earliest time that something is due. It is set only when that
 * time moves earlier: setting it costs a write. While the alarm's own work runs it is not set at
 * all: the work says at its end what is due next, and if it never gets there it is run again.
 */
export class Alarm {
  readonly #storage: DurableObjectStorage
  #setFor: number | null = null
  #isRunning = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Reads the alarm that is set. To be called once, before the object answers anything. */
  async load(): Promise<void> {
    this.#setFor = await this.#storage.getAlarm()
  }

  /** Makes sure the object wakes by then. A time that has passed without a wake-up was lost. */
  wakeBy(dueAt: number | null, now: number): void {
    if (dueAt === null || this.#isRunning) return
    const lost = this.#setFor !== null && this.#setFor < now - RETRY_DELAY_MS
    if (this.#setFor !== null && this.#setFor <= dueAt && !lost) return
    this.#setFor = dueAt
    // Part of the same write as the rows it is for; a failure resets the object.
    void this.#storage.setAlarm(dueAt)
  }

  /**
   * Runs the object's alarm work so that a failing one is never dropped for good.
   * @param work answers when the object has to wake next
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

/** The earliest of some times; null where there is none. */
export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
