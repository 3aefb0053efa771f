import { canonicalJson, type Json } from '../core/canonical-json.ts'
import { LAST_KNOWN_MS, LEAD_MS } from '../operator/modes.ts'
import type { LogEntry } from '../transparency/entry.ts'
import { LOGGED_WITHIN_MS } from './in-terms.ts'

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
  /**
   * The versions of the operators' terms that differ from the ones before, with their start, in the order of the log.
   */
  readonly #changes: { at: number; set: Values }[] = []
  #set: Values = {}
  /** The names of all terms that these changes set or returned to the configuration. */
  readonly #setNames = new Set<string>()

  take({ at, terms: named }: LogEntry): void {
    if (typeof named !== 'string') return
    const terms = this.#hashes.get(named) ?? named
    this.#hashes.set(terms, terms)
    this.#isSorted &&= at >= (this.#plans.at(-1)?.at ?? 0)
    this.#plans.push({ at, terms })
  }

  /**
   * Takes a version of the operators' settings. One that was logged long after it took effect doesn't count: the house
   * could have made it to justify earlier plays.
   */
  takeVersion({ terms, takesEffectAt }: LogEntry, loggedAt: number): void {
    if (!isObject(terms) || typeof takesEffectAt !== 'number') return
    const before = this.#set
    this.#set = terms
    const isInTime = loggedAt <= takesEffectAt + LOGGED_WITHIN_MS
    if (!isInTime || canonicalJson(terms) === canonicalJson(before)) return
    this.#changes.push({ at: takesEffectAt, set: terms })
    for (const name of Object.keys({ ...before, ...terms })) this.#setNames.add(name)
  }

  /**
   * Returns whether operators may have set a play's terms so briefly that no round followed them: the terms have the
   * values of such a change, and otherwise those of a round around the play, except for terms that operators set at
   * other times.
   * @param around the terms of these rounds @param from when it may have begun, in unix milliseconds
   * @param to when it was settled
   */
  mayBeSet(terms: Json, around: readonly Json[], from: number, to: number): boolean {
    const isAsSet = this.#changes.some(
      ({ set }, index) => this.#isUnfollowed(index, from, to) && hasValues(terms, set),
    )
    return isAsSet && around.some((each) => isSameBut(this.#setNames, each, terms))
  }

  /** Returns whether a change may have held between two times, and no round followed it. */
  #isUnfollowed(index: number, from: number, to: number): boolean {
    const at = this.#changes[index]?.at ?? Infinity
    const until = this.#changes[index + 1]?.at ?? Infinity
    const mayHold = at - LAST_KNOWN_MS <= to && until + LAST_KNOWN_MS >= from
    // A round that was planned at the same time may follow the terms before.
    return mayHold && this.#countBefore(at + LEAD_MS) >= this.#countBefore(until)
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

type Values = { [name: string]: Json }

function isObject(value: Json | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether terms have some values, each named by its path, such as `crash.limits.ETH`. */
function hasValues(terms: Json, values: Values): boolean {
  return Object.entries(values).every(([name, value]) => {
    const own = name
      .split('.')
      .reduce<Json | undefined>((part, key) => (isObject(part) ? part[key] : undefined), terms)
    return own !== undefined && canonicalJson(own) === canonicalJson(value)
  })
}

/** Returns whether two values are the same, but for parts with one of some paths. */
function isSameBut(
  names: ReadonlySet<string>,
  one: Json | undefined,
  other: Json | undefined,
  path: readonly string[] = [],
): boolean {
  if (names.has(path.join('.'))) return true
  if (!isObject(one) || !isObject(other))
    return canonicalJson(one ?? null) === canonicalJson(other ?? null)
  return Object.keys({ ...one, ...other }).every((key) =>
    isSameBut(names, one[key], other[key], [...path, key]),
  )
}
