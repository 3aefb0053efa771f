import { perToken, TOKENS, type PerToken } from '../money/token.ts'
import { pushNumber, type PackedReader } from './packing.ts'
import type { Totals } from './totals.ts'

/**
 * What a journal counts only for a player with limits, since they first asked for one. The limits' other
 * measures follow from balances and totals.
 */
export interface Guarded {
  /** The deposits that went into quarantine, in smallest units. */
  quarantinedWei: PerToken<bigint>
  /** The time played, in milliseconds. */
  playedMs: number
  /** In unix milliseconds; 0 before the first stake. */
  lastStakeAt: number
  /** When the session of the last stake began, in unix milliseconds; 0 before the first. */
  sessionStartedAt: number
}

export const NOTHING_GUARDED: Guarded = {
  quarantinedWei: perToken(() => 0n),
  ...{ playedMs: 0, lastStakeAt: 0, sessionStartedAt: 0 },
}

export function pushGuarded(bytes: number[], guarded: Guarded): void {
  const { quarantinedWei, playedMs, lastStakeAt, sessionStartedAt } = guarded
  for (const token of TOKENS) pushNumber(bytes, quarantinedWei[token])
  for (const number of [playedMs, lastStakeAt, sessionStartedAt]) pushNumber(bytes, BigInt(number))
}

/** Reverses {@link pushGuarded}. */
export function readGuarded(reader: PackedReader): Guarded {
  const quarantinedWei = perToken(() => 0n)
  for (const token of TOKENS) quarantinedWei[token] = reader.number()
  return { quarantinedWei, ...readTimes(reader) }
}

/** Reads what 0.2.0 packed: debits too, which are moved to the totals. */
export function readGuardedOf02(reader: PackedReader, totals: Totals): Guarded {
  const quarantinedWei = perToken(() => 0n)
  for (const token of TOKENS) {
    totals[token].debited = reader.number()
    quarantinedWei[token] = reader.number()
  }
  return { quarantinedWei, ...readTimes(reader) }
}

function readTimes(reader: PackedReader): Omit<Guarded, 'quarantinedWei'> {
  const number = () => Number(reader.number())
  const [playedMs, lastStakeAt, sessionStartedAt] = [number(), number(), number()]
  return { playedMs, lastStakeAt, sessionStartedAt }
}
