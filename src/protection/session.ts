import type { ProtectionCounters } from '../ledger/protection-counters.ts'

/** A session ends when its player has staked nothing for this long, in milliseconds. */
export const SESSION_GAP_MS = 1_800_000

/** The playing time that a session's first stake counts as, in milliseconds. */
export const FIRST_STAKE_MS = 60_000

/** Returns whether a stake would still belong to the session of the last one. @param at in unix milliseconds */
export function isPlaying({ lastStakeAt }: ProtectionCounters, at: number): boolean {
  return lastStakeAt > 0 && at - lastStakeAt < SESSION_GAP_MS
}

/**
 * Returns the playing time that a stake adds, in milliseconds: the time since the stake before it, or a minute
 * for the first of a session.
 */
export function addedPlayMs(guarded: ProtectionCounters, at: number): number {
  return isPlaying(guarded, at) ? at - guarded.lastStakeAt : FIRST_STAKE_MS
}

/** Returns a journal's counters after a stake. @param at in unix milliseconds */
export function afterStake(guarded: ProtectionCounters, at: number): ProtectionCounters {
  const sessionStartedAt = isPlaying(guarded, at) ? guarded.sessionStartedAt : at
  const playedMs = guarded.playedMs + addedPlayMs(guarded, at)
  return { ...guarded, playedMs, lastStakeAt: at, sessionStartedAt }
}
