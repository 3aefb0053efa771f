import { isoTime } from '../core/utc-day.ts'
import type { LoggedEntry } from '../transparency/entry.ts'
import type { Breach } from '../transparency/follower.ts'
import { LATENESS_MS } from './logged-round.ts'

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
   * @returns a notice if it is dated back; null if it isn't, or if the entry before it is, too
   */
  take({ index, entry: { kind, id, at } }: LoggedEntry): string | null {
    const isBack = at < this.#newestAt - DATED_BACK_MS
    const isTold = isBack && !this.#wasBack
    this.#wasBack = isBack
    this.#newestAt = Math.max(this.#newestAt, at)
    if (!isTold) return null
    return `Entry ${index}, ${kind} ${id}, is dated back: it has the time ${isoTime(at)}, and an entry before it ${isoTime(this.#newestAt)}. An outage of the log can cause this, and so can the start of a log that succeeds another one. Otherwise, ask the house why.`
  }
}

/** Returns whether an entry has a time after it was read, by more than clocks differ. Both in unix milliseconds. */
export function isAhead(at: number, readAt: number): boolean {
  return at >= readAt + LATENESS_MS
}

/** The breach of an entry from the future: its event had not happened yet. */
export function datedAhead(logged: LoggedEntry, readAt: number): Breach | null {
  const { at } = logged.entry
  if (!isAhead(at, readAt)) return null
  const claim = 'no entry is dated later than it is shown'
  const finding = `entry ${logged.index} has the time ${isoTime(at)}, and was read at ${isoTime(readAt)} by your clock`
  return { claim, finding, evidence: { logged, readAt } }
}
