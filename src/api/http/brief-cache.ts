import { isWithin } from '../../core/age.ts'

/** How often a request looks whether another's read has ended: the promise of another request can't be awaited. */
const LOOK_MS = 20

interface CachedValue<T> {
  key: string
  value: T
  askedAt: number
}

/** Returns whether a value may be used; `isAsking` says whether another request reads a newer one meanwhile. */
type IsUsable<T> = (kept: CachedValue<T>, now: number, isAsking: boolean) => boolean

interface Times {
  /** A cancelled request never reports the end of its read, which counts as lost after this long. */
  askingMs?: number
  /** How long other requests get the fault of a read: a source that is down must not be asked by each of them. */
  faultMs?: number
}

type Outcome<T> = { value: T } | { fault: unknown }

/**
 * An isolate's copy of one value that is the same for every caller, so that callers can't load its source. Only
 * one request at a time reads it; otherwise the slower the source, the more calls it would get. A request also accepts
 * the result of a read that began after it.
 */
export class BriefCache<T> {
  readonly #isUsable: IsUsable<T>
  readonly #askingMs: number
  readonly #faultMs: number
  #kept: CachedValue<T> | null = null
  #asking: { key: string; since: number } | null = null
  /** Reads are numbered as they begin. Those up to `#settled` are older than the copy, or than `forget`. */
  #begun = 0
  #settled = 0
  /** The latest read that has ended. */
  #ended: { key: string; number: number; at: number; outcome: Outcome<T> } | null = null

  /** @param kept how long a value is used, twice as long while another request reads a newer one; or the rule */
  constructor(kept: number | IsUsable<T>, { askingMs = 1_000, faultMs = 1_000 }: Times = {}) {
    this.#isUsable = typeof kept === 'number' ? youngerThan(kept) : kept
    this.#askingMs = askingMs
    this.#faultMs = faultMs
  }

  /** The newest value that has been read, whatever its age; null if none. */
  get latest(): T | null {
    return this.#kept?.value ?? null
  }

  /** Returns the value under a key, and reads it if the copy is too old. @throws what `read` throws */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const before = this.#begun
    let watched = this.#asking
    let looks = 0
    for (;;) {
      const now = Date.now()
      const isAsking = this.#isAsking(key, now)
      const kept = this.#kept?.key === key ? this.#kept : null
      if (kept && this.#isUsable(kept, now, isAsking)) return kept.value
      const outcome = this.#endedSince(before, key, now)
      if (outcome) return valueOf(outcome)
      // Counted, because the clock may stand still.
      if (!isAsking || looks * LOOK_MS >= this.#askingMs) {
        return valueOf(await this.#read(key, now, read))
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      looks = this.#asking === watched ? looks + 1 : 0
      watched = this.#asking
    }
  }

  /** Has the next caller read the value. */
  forget(): void {
    this.#kept = null
    this.#ended = null
    this.#settled = this.#begun
  }

  #isAsking(key: string, now: number): boolean {
    if (this.#asking?.key !== key) return false
    const { since } = this.#asking
    return isWithin(this.#askingMs, since, now)
  }

  /** Returns the outcome of another request's read for this one, if that read began later or has just failed. */
  #endedSince(before: number, key: string, now: number): Outcome<T> | null {
    const ended = this.#ended
    if (ended?.key !== key) return null
    if (ended.number > before) return ended.outcome
    const isFresh = isWithin(this.#faultMs, ended.at, now)
    return 'fault' in ended.outcome && isFresh ? ended.outcome : null
  }

  async #read(key: string, askedAt: number, read: () => Promise<T>): Promise<Outcome<T>> {
    const asking = { key, since: askedAt }
    this.#asking = asking
    const number = ++this.#begun
    const outcome = await outcomeOf(read)
    if (this.#asking === asking) this.#asking = null
    if (number > this.#settled) {
      if (number > (this.#ended?.number ?? 0))
        this.#ended = { key, number, at: Date.now(), outcome }
      if ('value' in outcome) {
        this.#settled = number
        this.#kept = { key, value: outcome.value, askedAt }
      }
    }
    return outcome
  }
}

function youngerThan(keptMs: number): IsUsable<unknown> {
  return ({ askedAt }, now, isAsking) => isWithin((isAsking ? 2 : 1) * keptMs, askedAt, now)
}

async function outcomeOf<T>(read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await read() }
  } catch (fault) {
    return { fault }
  }
}

function valueOf<T>(outcome: Outcome<T>): T {
  if ('fault' in outcome) throw outcome.fault
  return outcome.value
}
