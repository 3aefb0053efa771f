import { perToken, TOKENS, type PerToken } from '../money/token.ts'
import { pushNumber, type PackedReader } from './packing.ts'

/**
 * What a journal counts only for a player with limits, since they first asked for one. The limits' other
 * measures follow from balances and totals.
 */
export interface Guarded {
  /** Partners' debits, whether rolled back or not, in smallest units. */
  debitedWei: PerToken<bigint>
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
  debitedWei: perToken(() => 0n),
  quarantinedWei: perToken(() => 0n),
  ...{ playedMs: 0, lastStakeAt: 0, sessionStartedAt: 0 },
}

export function pushGuarded(bytes: number[], guarded: Guarded): void {
  const { debitedWei, quarantinedWei, playedMs, lastStakeAt, sessionStartedAt } = guarded
  for (const token of TOKENS) {
    pushNumber(bytes, debitedWei[token])
    pushNumber(bytes, quarantinedWei[token])
  }
  for (const number of [playedMs, lastStakeAt, sessionStartedAt]) pushNumber(bytes, BigInt(number))
}

/** Reverses {@link pushGuarded}. */
export function readGuarded(reader: PackedReader): Guarded {
  const amounts = TOKENS.map((token) => [token, reader.number(), reader.number()] as const)
  const number = () => Number(reader.number())
  const [playedMs, lastStakeAt, sessionStartedAt] = [number(), number(), number()]
  const amountOf = (index: 1 | 2) =>
    perToken((token) => amounts.find(([name]) => name === token)?.[index] ?? 0n)
  return {
    ...{ debitedWei: amountOf(1), quarantinedWei: amountOf(2) },
    ...{ playedMs, lastStakeAt, sessionStartedAt },
  }
}
