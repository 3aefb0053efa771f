import { isoTime } from '../core/utc-day.ts'
import type { Logged } from '../transparency/entry.ts'

/** An honest entry is dated back by more only after an outage of the log, or if it repeats one of the log before. */
const DATED_BACK_MS = 3_600_000

/** Follows the times of a log's entries in order, which only the house gives. */
export class EntryTimes {
  #newestAt: number
  #wasBack = false

  /** @param newestAt the newest time of the entries before, in unix milliseconds */
  constructor(newestAt = 0) {
    this.#newestAt = newestAt
  }

  get newestAt(): number {
    return this.#newestAt
  }

  /**
   * Takes the next entry.
   * @returns what to tell of one that is dated back; null if it isn't, or if the entry before it is, too
   */
  take({ index, entry: { kind, id, at } }: Logged): string | null {
    const isBack = at < this.#newestAt - DATED_BACK_MS
    const isTold = isBack && !this.#wasBack
    this.#wasBack = isBack
    this.#newestAt = Math.max(this.#newestAt, at)
    if (!isTold) return null
    return `Entry ${index}, ${kind} ${id}, is dated back: it has the time ${isoTime(at)}, and an entry before it ${isoTime(this.#newestAt)}. An outage of the log can cause this, and so can the start of a log that succeeds another one. Otherwise, ask the house why.`
  }
}
