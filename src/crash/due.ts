import type { OpenBet } from '../ledger/me.ts'
import { toHundredths, type Hundredths } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'
import { targetOf } from './bet.ts'
import { limitsOf, type RoundPlan } from './plan.ts'
import type { Phase } from './state.ts'

/** The router's public view of the current round, passed to a ledger. */
export interface RoundNow {
  roundId: number
  phase: Phase
  multiplier: Hundredths
  /** In flight, the tokens without a live bet of the wallet, as far as is known. */
  decidedTokens: Token[]
}

/** Returns whether a bet's round may have decided it, so that the ledger should ask. */
export function isDue(
  hold: { roundId: number; token: Token; target: Hundredths | null },
  now: RoundNow,
): boolean {
  if (hold.roundId !== now.roundId) return hold.roundId < now.roundId
  if (now.phase === 'results') return true
  if (now.phase !== 'flight') return false
  const isReached = hold.target !== null && hold.target <= now.multiplier
  return isReached || now.decidedTokens.includes(hold.token)
}

/**
 * Returns whether a ledger should be asked again about its wallet's open bet: the round has changed since `then`, or
 * may have decided the bet.
 */
export function mayHaveDecided(
  openBet: OpenBet | null,
  plan: RoundPlan,
  then: RoundNow,
  now: RoundNow,
): boolean {
  if (now.roundId !== then.roundId || now.phase !== then.phase) return true
  if (!openBet) return false
  const { token, amountWei } = openBet
  const autoCashout = openBet.autoCashout === null ? null : toHundredths(openBet.autoCashout)
  const params = { amountWei: BigInt(amountWei), autoCashout }
  return isDue({ ...openBet, target: targetOf(params, limitsOf(plan, token).maxPayout) }, now)
}
