import type { Refusal } from '../core/refusal.ts'
import type { Me } from '../ledger/me.ts'
import { checkAvailable, checkBounds, type StakeBounds } from '../ledger/refusals.ts'
import type { Hundredths } from '../money/multiplier.ts'
import type { Unit } from '../money/token.ts'
import type { KnownModes } from '../operator/modes.ts'
import type { BetParams } from './bet.ts'
import type { RoundNow } from './due.ts'
import { BETTING_CLOSED, BETTING_WAITS } from './refusals.ts'

/** A player's bet, as the router passes it to the ledger. */
export interface BetRequest extends StakeBounds {
  roundId: number
  params: BetParams
  /** Whether betting is open, to the router's knowledge. The round itself decides. */
  open: boolean
  /** Whether the round waits for the public log to have its plan. */
  isWaiting: boolean
  betsCloseAt: number
  maxPayout: bigint
  now: RoundNow
  modes: KnownModes
}

/** Checks a new bet against the phase, the bounds and the available chips, in this order. */
export function checkBet(
  request: Pick<BetRequest, 'roundId' | 'open' | 'isWaiting' | 'min' | 'max'> & {
    params: { token: Unit; amountWei: bigint }
    now: Pick<RoundNow, 'roundId'>
  },
  available: bigint,
): Refusal | null {
  const { roundId, open, isWaiting, now } = request
  const { token, amountWei } = request.params
  if (roundId !== now.roundId) return BETTING_CLOSED
  if (!open) return isWaiting ? BETTING_WAITS : BETTING_CLOSED
  return checkBounds(amountWei, request) ?? checkAvailable(token, amountWei, available)
}

export interface BetAnswer {
  ok: true
  roundId: number
  me: Me
  receipt?: string
}

/** A round's answer to a cash-out. */
export interface CashoutAnswer {
  ok: true
  /** Whether this call cashed the bet out; false if an earlier call did. */
  fresh: boolean
  multiplier: Hundredths
  payoutWei: string
  /** When the bet was cashed out. */
  at: number
  betId: string
  me: Me
}
