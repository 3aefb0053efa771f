import type { Hundredths } from '../crash/curve.ts'
import type { Phase } from '../crash/state.ts'
import type { PerToken, Token } from '../money/token.ts'

/** An unresolved bet, as its owner sees it. */
export interface OpenBet {
  roundId: number
  token: Token
  amountWei: string
  autoCashout: number | null
  placedAt: number
}

/** What a wallet sees of itself. */
export interface Me {
  chips: PerToken<string>
  openBet: OpenBet | null
  /** The nonce of the next withdrawal. */
  nonce: number
}

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
