import type { Hundredths } from '../money/multiplier.ts'
import type { Phase } from './state.ts'

/** The router's public view of the current round, passed to a ledger. */
export interface RoundNow {
  roundId: number
  phase: Phase
  multiplier: Hundredths
}

/** Returns whether a bet's round may have decided it, so that the ledger should ask. */
export function isDue(
  hold: { roundId: number; target: Hundredths | null },
  now: RoundNow,
): boolean {
  if (hold.roundId !== now.roundId) return hold.roundId < now.roundId
  if (now.phase === 'results') return true
  return now.phase === 'flight' && hold.target !== null && hold.target <= now.multiplier
}
