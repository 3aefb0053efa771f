import type { Hundredths } from '../money/multiplier.ts'
import type { Phase } from './state.ts'

/** What the router knows of the current round when it asks a ledger: public facts only. */
export interface RoundNow {
  roundId: number
  phase: Phase
  multiplier: Hundredths
}

/** Whether a bet's round may have decided it: then the ledger asks. */
export function isDue(
  hold: { roundId: number; target: Hundredths | null },
  now: RoundNow,
): boolean {
  if (hold.roundId !== now.roundId) return hold.roundId < now.roundId
  if (now.phase === 'results') return true
  return now.phase === 'flight' && hold.target !== null && hold.target <= now.multiplier
}
