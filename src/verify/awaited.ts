import type { LoggedEntry } from '../transparency/entry.ts'
import type { Breach } from '../transparency/follower.ts'

/**
 * An entry that the log owes its readers: the plan of a round with a later one, the result of a planned round, the
 * commitment to a lootbox day, or the seed of one that was committed to.
 */
export interface AwaitedEntry {
  what: 'plan' | 'result' | 'commitment' | 'seed'
  /** In unix milliseconds, by the log's own times. */
  dueAt: number
  /** The time of the first entry after it was due; null before one. */
  lateSince: number | null
  /** When that entry was read, by the reader's clock; absent before it. */
  lateReadAt?: number
}

const ROUNDS = 'each round is planned, and ends or is voided'

const CLAIMS: Record<AwaitedEntry['what'], string> = {
  plan: ROUNDS,
  result: ROUNDS,
  commitment: 'each day of the lootbox is committed to before it begins',
  seed: 'the seed of each day of the lootbox is disclosed',
}

/**
 * A failed delivery to the log is repeated within five minutes, so others may overtake it. After an outage of the log,
 * entries of hours come within seconds, so the reader's clock must have advanced too.
 */
const OVERTAKEN_MS = 600_000

/**
 * Returns the breach of an entry that the log still owes, or null.
 * @param awaited by the number of the round, or the id of the lootbox day's entry; notes late entries
 * @param logged the newest entry @param readAt when it was read, by the reader's clock in unix milliseconds
 */
export function overdue(
  awaited: ReadonlyMap<string, AwaitedEntry>,
  logged: LoggedEntry,
  readAt: number,
): Breach | null {
  const { id: newest, at } = logged.entry
  for (const [id, entry] of awaited) {
    if (at <= entry.dueAt || id === newest) continue
    entry.lateSince ??= at
    entry.lateReadAt ??= readAt
    if (at <= entry.lateSince + OVERTAKEN_MS) continue
    if (readAt <= entry.lateReadAt + OVERTAKEN_MS) continue
    const isOfDay = entry.what === 'seed' || entry.what === 'commitment'
    return {
      claim: CLAIMS[entry.what],
      finding: `the ${entry.what} of ${isOfDay ? id.split(':', 1)[0] : `round ${id}`} has been missing for more than an hour`,
      evidence: { awaited: { id, ...entry }, later: logged },
    }
  }
  return null
}
