import type { PepperSource } from '../fairness/pepper.ts'
import type { Hundredths } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'

/** A cash-out, as shown publicly. */
export interface Win {
  wallet: string
  token: Token
  amountWei: string
  multiplier: Hundredths
  payoutWei: string
  at: number
}

interface EndedRound {
  roundId: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  edgeBps: number
  betCount: number
  /** In unix milliseconds, like all times. */
  openedAt: number
  /** Determines the pepper's beacon. */
  betsCloseAt: number
  endedAt: number
  /** When the next round may open. */
  resultsUntil: number
}

/** A crashed round, with everything needed to verify it. */
export interface SettledRound extends EndedRound {
  kind: 'settled'
  pepper: string
  /** The beacon's signature, if the pepper came from a beacon. */
  signature: string | null
  crash: Hundredths
  takeoffAt: number
}

/** A round without a pepper in time. Every bet was refunded. */
export interface VoidedRound extends EndedRound {
  kind: 'voided'
  reason: string
}

export type RoundResult = SettledRound | VoidedRound

/** The lengths of the public lists. */
export const HISTORY_LENGTH = 20
export const LONG_HISTORY_LENGTH = 50
export const RECENT_WINS_LENGTH = 20
export const DISCLOSED_ROUNDS = 12
