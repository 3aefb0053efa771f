import { DAY_MS, dateOf, dayAt, isoTime, startOfDay } from '../core/utc-day.ts'
import type { LoggedEntry } from '../transparency/entry.ts'
import type { Breach } from '../transparency/follower.ts'
import { LATENESS_MS } from './logged-round.ts'
import { committedIn } from './logged-secrets.ts'

/** A lootbox day is committed to at most this long before it begins. */
export const COMMITTED_AHEAD_MS = 3 * DAY_MS

/**
 * A service with a lootbox commits each minute to today and the next three days. So if a round was planned this many
 * days before a day, the log had at least 24 hours to take the commitment before the day began.
 */
const PLANNED_DAYS_BEFORE = [2, 3]

/** The state that {@link SeedDeadlines} keeps between two runs. */
interface StoredDeadlines {
  lootboxDays: number[]
  committedDays: number[]
}

/**
 * When the log must have the seed hashes of lootbox days. A house that commits only once it knows a payment and its
 * block can choose the prize. But an honest house is late, too, if its lootbox is new or was switched off, or if the
 * service was down for days. So a commitment must come before its day only if a round was planned two or three days
 * before under terms that offer a lootbox. If it never comes, only a round on the day itself under such terms shows
 * that the lootbox was not switched off in time.
 */
export class SeedDeadlines {
  /** As days since 1970-01-01, like the others. */
  readonly #days: Set<number>
  readonly #committed: Set<number>
  readonly #lacking = new Set<number>()
  /** When the log began, in unix milliseconds; 0 if that is long ago. */
  #beganAt: number

  constructor({
    lootboxDays = [],
    committedDays = [],
    beganAt = null,
  }: Partial<StoredDeadlines & { beganAt: number | null }> = {}) {
    this.#days = new Set(lootboxDays)
    this.#committed = new Set(committedDays)
    this.#beganAt = beganAt ?? 0
  }

  /** Takes the next entry: notes when the log began, and which days are committed to. */
  take({ index, entry: { kind, id, at } }: LoggedEntry): void {
    if (index === 0) this.#beganAt = at
    const day = kind === 'seeds' ? committedIn(kind, id) : null
    if (day === null) return
    const committed = dayAt(startOfDay(day))
    this.#committed.add(committed)
    this.#lacking.delete(committed)
  }

  /** @param terms the entry of the terms that the plan names; null if the log does not have it */
  takePlan({ entry }: LoggedEntry, terms: LoggedEntry | null): void {
    if (!terms || !offersLootbox(terms)) return
    const today = dayAt(entry.at)
    for (const ahead of PLANNED_DAYS_BEFORE) this.#days.add(today + ahead)
    if (this.#days.has(today) && !this.#committed.has(today)) this.#lacking.add(today)
  }

  /**
   * Returns the days (YYYY-MM-DD) that offered a lootbox, must have been committed to, and are not. A seed that was
   * drawn before the log began may never be in it.
   */
  lacking(): string[] {
    return [...this.#lacking]
      .map((day) => day * DAY_MS)
      .filter((beginsAt) => beginsAt > this.#beganAt + COMMITTED_AHEAD_MS)
      .map(dateOf)
  }

  /** Returns by when a day (YYYY-MM-DD) must be committed to, in unix milliseconds; null if that may come later. */
  of(day: string): number | null {
    const beginsAt = startOfDay(day)
    return this.#days.has(dayAt(beginsAt)) ? beginsAt + LATENESS_MS : null
  }

  /** Returns its days for {@link SeedDeadlines} to be made again. */
  stored(): StoredDeadlines {
    return { lootboxDays: [...this.#days], committedDays: [...this.#committed] }
  }
}

/** Returns whether some logged terms offer a lootbox. */
export function offersLootbox({ entry }: LoggedEntry): boolean {
  const { lootbox } = (entry['terms'] ?? {}) as { lootbox?: unknown }
  return typeof lootbox === 'object' && lootbox !== null
}

/** The known facts about the commitment to a lootbox day. */
interface SeenCommitment {
  day: string
  commitment: LoggedEntry
  /** By when it must be logged, in unix milliseconds; null if it may come later. */
  dueAt: number | null
  /** Whether terms that offer a lootbox were logged before the day began. */
  isOffered: boolean
  /** When the log was last shown without it, by the reader's clock in unix milliseconds; null if never. */
  absentAt: number | null
}

/** Judges the time of a commitment. Without a breach, a late one is only a notice. */
export function judgeCommitment({ day, commitment, dueAt, isOffered, absentAt }: SeenCommitment): {
  breach: Breach | null
  notice: string | null
} {
  const { index, entry } = commitment
  const lateAt = Math.max(entry.at, absentAt ?? 0)
  const finding =
    lateAt === entry.at
      ? `entry ${index}, the seed hash of ${day}, has the time ${isoTime(lateAt)}`
      : `the log did not have the seed hash of ${day} at ${isoTime(lateAt)} by your clock`
  if (dueAt !== null && lateAt >= dueAt) {
    const claim = 'each day of the lootbox is committed to before it begins'
    return { breach: { claim, finding, evidence: { commitment, absentAt } }, notice: null }
  }
  const expectedAt = startOfDay(day) + (isOffered ? 0 : DAY_MS)
  const isLate = lateAt >= expectedAt + LATENESS_MS
  const advice =
    'A lootbox that was switched off, or an outage of days, can cause this. Otherwise, do not trust the openings of that day.'
  return { breach: null, notice: isLate ? `A commitment came late: ${finding}. ${advice}` : null }
}
