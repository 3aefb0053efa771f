import type { BetOrder } from './bet.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import type { Me } from '../ledger/me.ts'
import type { RoundNow } from './due.ts'

/** What the router asks of a ledger when its player bets. */
export interface BetRequest {
  roundId: number
  order: BetOrder
  /** Whether the round takes bets, as far as the router knows; the round itself decides. */
  open: boolean
  betsCloseAt: number
  min: bigint
  max: bigint
  maxPayout: bigint
  now: RoundNow
}

/** Checks a new bet against phase, bounds and what is in the account, in this order. */
export function checkBet(
  request: Pick<BetRequest, 'roundId' | 'order' | 'open' | 'min' | 'max'> & {
    now: Pick<RoundNow, 'roundId'>
  },
  available: bigint,
): Refusal | null {
  const { roundId, open, now, min, max } = request
  const { token, amountWei } = request.order
  if (!open || roundId !== now.roundId) {
    return refuse('betting_closed', 'Bets for this round are closed; bet in the next one.')
  }
  if (amountWei < min || amountWei > max) {
    const details = { min: min.toString(), max: max.toString() }
    return refuse('amount_out_of_bounds', 'Bet an amount between min and max.', details)
  }
  if (available < amountWei) {
    const details = { available: available.toString(), required: amountWei.toString() }
    return refuse('insufficient_chips', `You do not have that many ${token} chips.`, details)
  }
  return null
}

export interface BetAnswer {
  ok: true
  roundId: number
  me: Me
}
