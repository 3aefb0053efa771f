import type { Settled } from './transact.ts'

interface Waiting {
  arrivedAt: number
  commit: (arrivedAt: number) => void
}

/** More than this many waiting operations are refused: they would only wait longer. */
const QUEUE_LIMIT = 10_000

/**
 * Group commit for an object that many call at once. Operations wait for the end of the turn
 * and are then committed together, each in its own transaction, so that one that fails is
 * undone alone. Each is decided at the time it arrived, in the order of arrival.
 */
export class CommitQueue {
  readonly #commit: <T>(work: () => Settled<T>) => Settled<T>
  readonly #now: () => number
  readonly #flushed: () => void
  #waiting: Waiting[] = []

  /**
   * @param commit runs synchronous work in one transaction, all of it or nothing
   * @param flushed runs in the same turn as the commits, so that its writes are kept with theirs
   */
  constructor(
    commit: <T>(work: () => Settled<T>) => Settled<T>,
    now: () => number,
    flushed: () => void,
  ) {
    this.#commit = commit
    this.#now = now
    this.#flushed = flushed
  }

  /** Whether the queue takes no more. */
  isFull(): boolean {
    return this.#waiting.length >= QUEUE_LIMIT
  }

  /** Queues an operation; resolves with its result once it is committed. */
  run<T>(operation: (arrivedAt: number) => Settled<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setTimeout(() => this.flush(), 0)
      this.#waiting.push({
        arrivedAt: this.#now(),
        commit: (arrivedAt) => {
          try {
            resolve(this.#commit(() => operation(arrivedAt)))
          } catch (fault) {
            reject(fault)
          }
        },
      })
    })
  }

  /** Commits everything that waits, now: whoever decides something on its own calls this first. */
  flush(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const { arrivedAt, commit } of waiting) commit(arrivedAt)
    this.#flushed()
  }
}
