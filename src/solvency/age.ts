import { LEAF_AGE_MS } from './statement.ts'

/** How often the tree is built. */
export const EPOCH_MS = 3_600_000

/**
 * A count that takes longer is given up: the debts and the holdings would be from times too far apart. A leaf may be
 * newer than the count's time by at most this.
 */
export const MAX_COUNT_MS = EPOCH_MS / 2

/** A count that is older is late: its hour's count and the next one are missing. */
export const COUNT_OLD_MS = 2 * EPOCH_MS

/**
 * Returns whether a position may be too old for a leaf, so that its ledger has to be asked. A ledger sends its position
 * within five minutes of a movement, by an alarm; an idle one needn't. But if that alarm is lost, a ledger falls silent
 * although it moves chips. So a ledger is asked if its position is more than ten minutes old, and either at most 70
 * minutes old or with a bet that must have ended.
 * @param sentAt when the ledger read its position, in unix milliseconds
 * @param at when the tree is built
 */
export function isDoubtful(
  { at: sentAt, unresolved }: { at: number; unresolved: boolean },
  at: number,
) {
  const ageMs = at - sentAt
  return ageMs > LEAF_AGE_MS && (unresolved || ageMs <= EPOCH_MS + LEAF_AGE_MS)
}

/** Returns whether a time is in a later epoch than another. */
export function isNextEpoch(at: number, now: number): boolean {
  return Math.floor(now / EPOCH_MS) > Math.floor(at / EPOCH_MS)
}
