import type { BetOrder } from '../crash/bet.ts'
import type { Me, RoundNow } from './me.ts'

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

export interface BetAnswer {
  ok: true
  roundId: number
  me: Me
}
