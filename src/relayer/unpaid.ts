import type { OrderStep, StuckCause, WithdrawalOrder } from './payout.ts'
import type { PrizeOrder } from './prize.ts'

/** A withdrawal or prize without a confirmed transaction. */
export interface UnpaidOrder {
  id: string
  order: WithdrawalOrder | PrizeOrder
  step: Exclude<OrderStep, 'cancel'>
  /** `sent` has a transaction. */
  state: 'queued' | 'sent'
  /** In unix milliseconds. */
  orderedAt: number
  /** Why it was last postponed, as an event of the service log; null if it only waits for its turn. */
  cause: StuckCause | 'payout_failed' | null
  /** Whether it rests because its wallet has wasted gas. */
  isResting: boolean
}

/** The withdrawals and prizes that are not known to be paid. */
export interface UnpaidOrders {
  /** Whether withdrawals wait because operators have closed them. */
  areWithdrawalsClosed: boolean
  orders: UnpaidOrder[]
}
