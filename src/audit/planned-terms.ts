import type { LogEntry } from '../transparency/entry.ts'

/** The table stops while nobody views it. Rounds that are this close to a time show which terms were in force then. */
const AROUND_MS = 1_800_000

/** The terms that rounds were planned by, over time. */
export class PlannedTerms {
  readonly #plans: { at: number; terms: string }[] = []
  /** Each hash once, however many plans name it. */
  readonly #hashes = new Map<string, string>()
  #isSorted = true

  take({ at, terms: named }: LogEntry): void {
    if (typeof named !== 'string') return
    const terms = this.#hashes.get(named) ?? named
    this.#hashes.set(terms, terms)
    this.#isSorted &&= at >= (this.#plans.at(-1)?.at ?? 0)
    this.#plans.push({ at, terms })
  }

  /**
   * Returns the terms of the rounds from some time before another one until half an hour after it, with those that were in
   * force when that began. Null unless a round was within half an hour before and one within half an hour after:
   * otherwise, terms that no round followed may have been in force.
   * @param at in unix milliseconds @param sinceMs how long before it, besides the half hour
   */
  around(at: number, sinceMs = 0): ReadonlySet<string> | null {
    const first = this.#countBefore(at - sinceMs - AROUND_MS)
    const from = this.#countBefore(at - AROUND_MS)
    const middle = this.#countBefore(at + 1)
    const to = this.#countBefore(at + AROUND_MS + 1)
    if (from === middle || middle === to) return null
    const begins = sinceMs === 0 ? first : Math.max(0, first - 1)
    return new Set(this.#plans.slice(begins, to).map(({ terms }) => terms))
  }

  /** Returns how many rounds were planned before a time. */
  #countBefore(time: number): number {
    if (!this.#isSorted) this.#plans.sort((one, other) => one.at - other.at)
    this.#isSorted = true
    let [low, high] = [0, this.#plans.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#plans[middle]?.at ?? 0) < time) low = middle + 1
      else high = middle
    }
    return low
  }
}
