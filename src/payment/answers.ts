import { refuse, type Refusal } from '../core/refusal.ts'
import { REASONS, type PaymentReason } from './judge.ts'

/** A payment still waiting for confirmations; the client should ask again. */
export interface Pending {
  ok: true
  status: 'pending'
  confirmations: number
  required: number
}

export function paymentMismatch(reason: PaymentReason): Refusal {
  return refuse('payment_mismatch', REASONS[reason], { reason })
}

/** Returns whether a payment was refused because the chain does not have it, or not yet. */
export function isNotFound({ error: { code, details } }: Refusal): boolean {
  const isMismatch = code === 'payment_mismatch' && details !== undefined && !Array.isArray(details)
  return isMismatch && details['reason'] === 'not_found'
}

export const PAYMENT_USED = refuse(
  'payment_used',
  'This payment has already been used for something else. Send a new payment.',
)

export function isPending(answer: object): answer is Pending {
  return 'status' in answer && answer.status === 'pending'
}
