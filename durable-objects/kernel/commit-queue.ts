import type { Sync } from './transact.ts'

interface WaitingOperation {
  arrivedAt: number
  commit: (arrivedAt: number) => void
}

/** Runs an operation that arrived at a time: all of its writes are stored, or none. */
type Commit = <T>(operation: () => Sync<T>, arrivedAt: number) => Sync<T>

/** Operations beyond this many are refused, because they would only wait longer. */
const QUEUE_LIMIT = 10_000

/**
 * Group commit for an object with many simultaneous callers. Operations wait for the end of the turn
 * and are then committed together. Each has its own transaction, so a failing one is undone alone.
 * Each is decided as of its arrival time, in the order of arrival.
 */
export class CommitQueue {
  readonly #commit: Commit
  readonly #now: () => number
  readonly #flushed: () => void
  #waiting: WaitingOperation[] = []

  /**
   * @param flushed runs in the same turn as the commits, so its writes are stored with theirs
   */
  constructor(commit: Commit, now: () => number, flushed: () => void = () => {}) {
    this.#commit = commit
    this.#now = now
    this.#flushed = flushed
  }

  /** Returns whether the queue accepts no more operations. */
  isFull(): boolean {
    return this.#waiting.length >= QUEUE_LIMIT
  }

  /** Queues an operation; resolves with its result once it is committed. */
  run<T>(operation: (arrivedAt: number) => Sync<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setTimeout(() => this.flush(), 0)
      this.#waiting.push({
        arrivedAt: this.#now(),
        commit: (arrivedAt) => {
          try {
            resolve(this.#commit(() => operation(arrivedAt), arrivedAt))
          } catch (fault) {
            reject(fault)
          }
        },
      })
    })
  }

  /** Commits all waiting operations now. Call before deciding anything outside the queue. */
  flush(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const { arrivedAt, commit } of waiting) commit(arrivedAt)
    this.#flushed()
  }
}
