/** What a payment has to be. */
export interface PaymentTerms {
  chainId: number
  payer: string
  recipient: string
  valueWei: bigint
  /** Blocks that count as one more than none: 1 is the block that the payment is in. */
  confirmations: number
  /** The oldest it may be, in milliseconds; null where it was shown in time before. */
  maxAgeMs: number | null
}

/** What the chain says of a transaction. Addresses in any letter case. */
export interface PaymentFacts {
  chainId: number | null
  from: string
  to: string | null
  valueWei: bigint
  input: string
  /** Null while it is in no block. */
  mined: { isSuccess: boolean; blockHash: string; blockNumber: number; paidAt: number } | null
  /** The newest block's number. */
  head: number
}

/** Why a transaction is not the payment that is asked for. */
export type PaymentReason =
  | 'not_found'
  | 'wrong_chain'
  | 'wrong_recipient'
  | 'wrong_sender'
  | 'not_a_plain_transfer'
  | 'underpaid'
  | 'overpaid'
  | 'failed'
  | 'too_old'

/** A payment that is good for what it was made for. */
export interface GoodPayment {
  kind: 'good'
  blockHash: string
  blockNumber: number
  /** When its block was made, in unix milliseconds. */
  paidAt: number
}

export type PaymentVerdict =
  | GoodPayment
  | { kind: 'pending'; confirmations: number; required: number }
  | { kind: 'mismatch'; reason: PaymentReason }

/** Judges a payment by what the chain says of it. What can never change is said before it is mined. */
export function judgePayment(
  facts: PaymentFacts,
  terms: PaymentTerms,
  now: number,
): PaymentVerdict {
  const reason = mismatch(facts, terms)
  if (reason) return { kind: 'mismatch', reason }
  const { mined, head } = facts
  const required = terms.confirmations
  if (!mined) return { kind: 'pending', confirmations: 0, required }
  if (!mined.isSuccess) return { kind: 'mismatch', reason: 'failed' }
  const { blockHash, blockNumber, paidAt } = mined
  if (terms.maxAgeMs !== null && now - paidAt > terms.maxAgeMs) {
    return { kind: 'mismatch', reason: 'too_old' }
  }
  const confirmations = Math.max(0, head - blockNumber + 1)
  if (confirmations < required) return { kind: 'pending', confirmations, required }
  return { kind: 'good', blockHash, blockNumber, paidAt }
}

/** What is wrong with a transaction itself, whatever becomes of it. */
function mismatch(facts: PaymentFacts, terms: PaymentTerms): PaymentReason | null {
  const { chainId, to, from, valueWei, input } = facts
  if (chainId !== null && chainId !== terms.chainId) return 'wrong_chain'
  if (!to || !isSame(to, terms.recipient)) return 'wrong_recipient'
  if (!isSame(from, terms.payer)) return 'wrong_sender'
  if (input !== '0x') return 'not_a_plain_transfer'
  if (valueWei < terms.valueWei) return 'underpaid'
  if (valueWei > terms.valueWei) return 'overpaid'
  return null
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** What each reason means for the person who has paid. */
export const REASONS: Record<PaymentReason, string> = {
  not_found:
    'The chain does not know this transaction. If you have just sent it, ask again shortly.',
  wrong_chain: 'The transaction is for another chain.',
  wrong_recipient: 'The transaction does not pay the right address.',
  wrong_sender: 'The transaction was not sent by this wallet.',
  not_a_plain_transfer: 'Pay with a plain transfer: this transaction calls something.',
  underpaid: 'The transaction pays less than the price.',
  overpaid: 'The transaction pays more than the price; it has to be exact.',
  failed: 'The transaction failed on chain, so nothing was paid.',
  too_old: 'The payment is older than 24 hours.',
}
