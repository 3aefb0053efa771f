import { canonicalJson } from '../core/canonical-json.ts'
import { LAST_KNOWN_MS, LEAD_MS } from '../operator/modes.ts'
import type { LogEntry } from '../transparency/entry.ts'

/** The table stops while nobody views it. Rounds that are this close to a time show which terms were in force then. */
const AROUND_MS = 1_800_000

/**
 * While a deployment of other terms is gradual, only some calls and some rounds follow them. Of this many rounds before
 * a play or an opening and as many after it, one does, even at a tenth.
 */
const NEAREST = 100

/** The terms that rounds were planned by, over time. */
export class PlannedTerms {
  readonly #plans: { at: number; terms: string }[] = []
  /** Each hash once, however many plans name it. */
  readonly #hashes = new Map<string, string>()
  #isSorted = true
  /** When operators set other terms than before, in the order of the log. */
  readonly #changes: number[] = []
  #set = canonicalJson({})

  take({ at, terms: named }: LogEntry): void {
    if (typeof named !== 'string') return
    const terms = this.#hashes.get(named) ?? named
    this.#hashes.set(terms, terms)
    this.#isSorted &&= at >= (this.#plans.at(-1)?.at ?? 0)
    this.#plans.push({ at, terms })
  }

  /** Takes a version of what operators set. */
  takeVersion({ terms, takesEffectAt }: LogEntry): void {
    if (terms === undefined || typeof takesEffectAt !== 'number') return
    const set = canonicalJson(terms)
    if (set !== this.#set) this.#changes.push(takesEffectAt)
    this.#set = set
  }

  /**
   * Returns the terms that may have been in force when a play was made, as {@link around} does. Null also if operators
   * set terms meanwhile that no round followed.
   * @param at when it was settled, in unix milliseconds @param openMs how long before that it may have begun
   */
  aroundPlay(at: number, openMs: number): ReadonlySet<string> | null {
    return this.#isUnfollowed(at - openMs, at) ? null : this.around(at, openMs)
  }

  /** Returns whether operators set terms that may have held between two times, and that no round followed. */
  #isUnfollowed(from: number, to: number): boolean {
    return this.#changes.some((at, index) => {
      const until = this.#changes[index + 1] ?? Infinity
      const mayHold = at - LAST_KNOWN_MS <= to && until + LAST_KNOWN_MS >= from
      // A round that was planned at the same time may follow the terms before.
      return mayHold && this.#countBefore(at + LEAD_MS) >= this.#countBefore(until)
    })
  }

  /**
   * Returns the terms of the rounds from some time before another one until half an hour after it, of at least the
   * nearest hundred before and after it, with those that were in force when that time began. Null unless a round was
   * within half an hour before and one within half an hour after, and a hundred came later: otherwise, terms that no
   * round followed may have been in force.
   * @param at in unix milliseconds @param sinceMs how long before it, besides the half hour
   */
  around(at: number, sinceMs = 0): ReadonlySet<string> | null {
    const middle = this.#countBefore(at + 1)
    const [from, to] = [this.#countBefore(at - AROUND_MS), this.#countBefore(at + AROUND_MS + 1)]
    if (from === middle || middle === to || middle + NEAREST > this.#plans.length) return null
    const first = Math.min(this.#countBefore(at - sinceMs - AROUND_MS) - 1, middle - NEAREST)
    const last = Math.max(to, middle + NEAREST)
    return new Set(this.#plans.slice(Math.max(0, first), last).map(({ terms }) => terms))
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
