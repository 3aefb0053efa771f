import { refuse, type Refusal } from '../core/refusal.ts'
import { REASONS, type PaymentReason } from './judge.ts'

/** A payment that the chain has not confirmed yet: ask again. */
export interface Pending {
  ok: true
  status: 'pending'
  confirmations: number
  required: number
}

export function paymentMismatch(reason: PaymentReason): Refusal {
  return refuse('payment_mismatch', REASONS[reason], { reason })
}

export function paymentUsed(): Refusal {
  return refuse('payment_used', 'This payment was spent on something else already.')
}

export function isPending(answer: object): answer is Pending {
  return 'status' in answer && answer.status === 'pending'
}
