import type { Token } from '../money/token.ts'
import type { Hundredths } from '../money/multiplier.ts'
import type { PepperSource } from '../fairness/pepper.ts'

/** A cash-out, as everybody may see it. */
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
  openedAt: number
  betsCloseAt: number
  endedAt: number
  /** When the next round may open. */
  resultsUntil: number
}

/** A round that crashed, with everything needed to check it. */
export interface SettledRound extends EndedRound {
  kind: 'settled'
  pepper: string
  /** The beacon's signature, where the pepper came from one. */
  signature: string | null
  crash: Hundredths
  takeoffAt: number
}

/** A round whose pepper never came: every bet was refunded. */
export interface VoidedRound extends EndedRound {
  kind: 'voided'
  reason: string
}

export type RoundResult = SettledRound | VoidedRound

/** How many entries the public lists hold. */
export const HISTORY_LENGTH = 20
export const RECENT_WINS_LENGTH = 20
export const DISCLOSED_ROUNDS = 12
