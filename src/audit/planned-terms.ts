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
   * Returns the terms of the rounds within half an hour of a time, in unix milliseconds; null unless there was one before
   * and one after it. Otherwise, terms that no round followed may have been in force.
   */
  around(at: number): ReadonlySet<string> | null {
    const [from, middle, to] = [at - AROUND_MS, at + 1, at + AROUND_MS + 1].map((time) =>
      this.#countBefore(time),
    ) as [number, number, number]
    if (from === middle || middle === to) return null
    return new Set(this.#plans.slice(from, to).map(({ terms }) => terms))
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
