import { DAY_MS } from '../core/utc-day.ts'

/** The maximum age of a payment when it is first presented, in milliseconds. */
export const MAX_AGE_MS = DAY_MS

/** The requirements for a payment. */
export interface ExpectedPayment {
  chainId: number
  payer: string
  recipient: string
  valueWei: bigint
  /** The required confirmations; the payment's own block is the first. */
  confirmations: number
  /** The maximum age, in milliseconds; null once the payment has been presented in time. */
  maxAgeMs: number | null
}

/** A transaction's facts on chain. Addresses in any letter case. */
export interface PaymentFacts {
  chainId: number | null
  from: string
  to: string | null
  valueWei: bigint
  input: string
  /** Whether a node has it in a block, which another node may not have yet. */
  isInBlock: boolean
  /** Null until the transaction is mined, as far as the node that was asked for its block knows. */
  mined: { isSuccess: boolean; blockHash: string; blockNumber: number; paidAt: number } | null
  /** The newest block's number. */
  head: number
}

/** Why a transaction isn't the required payment. */
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

/** A payment that meets the requirements. */
export interface GoodPayment {
  kind: 'good'
  blockHash: string
  blockNumber: number
  /** The block's time, in unix milliseconds. */
  paidAt: number
}

type PaymentVerdict =
  | GoodPayment
  | { kind: 'pending'; confirmations: number; required: number }
  | { kind: 'mismatch'; reason: PaymentReason }

/** Judges a payment by its facts on chain. Reports permanent mismatches even before it is mined. */
export function judgePayment(
  facts: PaymentFacts,
  expected: ExpectedPayment,
  now: number,
): PaymentVerdict {
  const reason = mismatch(facts, expected)
  if (reason) return { kind: 'mismatch', reason }
  const { mined, head } = facts
  const required = expected.confirmations
  if (!mined) return { kind: 'pending', confirmations: 0, required }
  if (!mined.isSuccess) return { kind: 'mismatch', reason: 'failed' }
  const { blockHash, blockNumber, paidAt } = mined
  if (expected.maxAgeMs !== null && now - paidAt > expected.maxAgeMs) {
    return { kind: 'mismatch', reason: 'too_old' }
  }
  const confirmations = Math.max(0, head - blockNumber + 1)
  if (confirmations < required) return { kind: 'pending', confirmations, required }
  return { kind: 'good', blockHash, blockNumber, paidAt }
}

/** Returns a mismatch in the transaction itself, which mining can't change. */
function mismatch(facts: PaymentFacts, expected: ExpectedPayment): PaymentReason | null {
  const { chainId, to, from, valueWei, input } = facts
  if (chainId !== null && chainId !== expected.chainId) return 'wrong_chain'
  if (!to || !isSameAddress(to, expected.recipient)) return 'wrong_recipient'
  if (!isSameAddress(from, expected.payer)) return 'wrong_sender'
  if (input !== '0x') return 'not_a_plain_transfer'
  if (valueWei < expected.valueWei) return 'underpaid'
  if (valueWei > expected.valueWei) return 'overpaid'
  return null
}

/** Returns whether two addresses are the same, in any letter case. */
export function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Messages for the payer, by reason. */
export const REASONS: Record<PaymentReason, string> = {
  not_found:
    'The transaction was not found on the chain. If you have just sent it, try again in a few seconds.',
  wrong_chain: 'The transaction is on another chain. Pay on the listed chain.',
  wrong_recipient: 'The transaction pays another address. Pay the listed address.',
  wrong_sender: 'Another wallet sent this transaction. Send the request with the wallet that paid.',
  not_a_plain_transfer:
    'The transaction calls a contract or carries data. Pay with a plain transfer.',
  underpaid: 'The transaction pays less than the price. Pay exactly the price.',
  overpaid: 'The transaction pays more than the price. Pay exactly the price.',
  failed: 'The transaction failed on chain, so nothing was paid. Send a new payment.',
  too_old: 'The payment is older than 24 hours and is no longer accepted. Contact the operator.',
}
