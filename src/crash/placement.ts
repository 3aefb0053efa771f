import { refuse, type Refusal } from '../core/refusal.ts'
import type { Me } from '../ledger/me.ts'
import type { BetOrder } from './bet.ts'
import type { RoundNow } from './due.ts'

/** A player's bet, as the router passes it to the ledger. */
export interface BetRequest {
  roundId: number
  order: BetOrder
  /** Whether betting is open, to the router's knowledge. The round itself decides. */
  open: boolean
  betsCloseAt: number
  min: bigint
  max: bigint
  maxPayout: bigint
  now: RoundNow
}

/** Checks a new bet against the phase, the bounds and the available chips, in this order. */
export function checkBet(
  request: Pick<BetRequest, 'roundId' | 'order' | 'open' | 'min' | 'max'> & {
    now: Pick<RoundNow, 'roundId'>
  },
  available: bigint,
): Refusal | null {
  const { roundId, open, now, min, max } = request
  const { token, amountWei } = request.order
  if (!open || roundId !== now.roundId) {
    return refuse('betting_closed', 'Betting for this round has closed. Bet in the next round.')
  }
  if (amountWei < min || amountWei > max) {
    const details = { min: min.toString(), max: max.toString() }
    return refuse(
      'amount_out_of_bounds',
      'The amount is out of bounds. Bet an amount between min and max.',
      details,
    )
  }
  if (available < amountWei) {
    const details = { available: available.toString(), required: amountWei.toString() }
    return refuse('insufficient_chips', `You do not have enough ${token} chips.`, details)
  }
  return null
}

export interface BetAnswer {
  ok: true
  roundId: number
  me: Me
}
