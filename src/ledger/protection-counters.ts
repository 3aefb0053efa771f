import { perToken, TOKENS, type PerToken } from '../money/token.ts'
import { pushNumber, type PackedReader } from './packing.ts'

/**
 * Counters that a journal keeps only for a player with limits, since they first asked for one. The limits' other
 * measures follow from balances and totals.
 */
export interface ProtectionCounters {
  /** The deposits that went into quarantine, in smallest units. */
  quarantinedWei: PerToken<bigint>
  /** The time played, in milliseconds. */
  playedMs: number
  /** In unix milliseconds; 0 before the first stake. */
  lastStakeAt: number
  /** When the session of the last stake began, in unix milliseconds; 0 before the first. */
  sessionStartedAt: number
}

export const NO_PROTECTION_COUNTERS: ProtectionCounters = {
  quarantinedWei: perToken(() => 0n),
  playedMs: 0,
  lastStakeAt: 0,
  sessionStartedAt: 0,
}

export function pushProtectionCounters(bytes: number[], guarded: ProtectionCounters): void {
  const { quarantinedWei, playedMs, lastStakeAt, sessionStartedAt } = guarded
  for (const token of TOKENS) pushNumber(bytes, quarantinedWei[token])
  for (const number of [playedMs, lastStakeAt, sessionStartedAt]) pushNumber(bytes, BigInt(number))
}

/** Reverses {@link pushProtectionCounters}. */
export function readProtectionCounters(reader: PackedReader): ProtectionCounters {
  const quarantinedWei = perToken(() => reader.number())
  const number = () => Number(reader.number())
  const [playedMs, lastStakeAt, sessionStartedAt] = [number(), number(), number()]
  return { quarantinedWei, playedMs, lastStakeAt, sessionStartedAt }
}
