import type { Token } from '../money/token.ts'
import { refuse, type Refusal } from '../refusal.ts'
import type { Account, Posting } from './accounts.ts'
import type { Me } from './me.ts'

/**
 * How far a withdrawal is: accepted, sent to the chain, paid there, or given back because its nonce
 * is used up there without a payment.
 */
export type WithdrawalStatus = 'pending' | 'submitted' | 'confirmed' | 'failed'

/** What the router asks of a ledger when its player withdraws. */
export interface WithdrawalRequest {
  token: Token
  amountWei: bigint
  nonce: number
  signature: string
  /** Whether the signature is the player's; null where the chain would have to say and does not. */
  isSigned: boolean | null
  min: bigint
}

/** The relayer's word on a withdrawal; a later one has a higher version. */
export interface Progress {
  status: WithdrawalStatus
  txHash: string | null
  version: number
}

export interface Withdrawal {
  nonce: number
  token: Token
  amountWei: string
  status: WithdrawalStatus
  txHash: string | null
}

export interface WithdrawalAnswer {
  ok: true
  withdrawal: Withdrawal
  me: Me
}

/** What a ledger knows when it decides on a withdrawal. */
export interface WithdrawalContext {
  /** The nonce of the next withdrawal. */
  next: number
  available: bigint
  isUnderWay: boolean
  /** A deposit was reorganised away: until it is back nothing leaves. */
  isFrozen: boolean
}

/** Checks a new withdrawal: its nonce, the bounds, the signature, what is under way, the chips. */
export function checkWithdrawal(
  { token, amountWei, nonce, isSigned, min }: WithdrawalRequest,
  { next, available, isUnderWay, isFrozen }: WithdrawalContext,
): Refusal | null {
  if (nonce !== next) return wrongNonce(next)
  if (amountWei < min) {
    const details = { min: min.toString(), max: available.toString() }
    return refuse('amount_out_of_bounds', 'Withdraw an amount between min and max.', details)
  }
  if (isSigned === false) {
    return refuse(
      'signature_invalid',
      "The signature is not your wallet's over this withdrawal: check chain, vault, token, amount and nonce.",
    )
  }
  if (isUnderWay) {
    return refuse(
      'withdrawal_pending',
      'Another withdrawal is under way; wait until it is through.',
    )
  }
  if (isSigned === null) {
    return refuse(
      'chain_unavailable',
      'The chain cannot be asked about this wallet now; try again.',
    )
  }
  if (isFrozen) {
    return refuse(
      'chain_unavailable',
      'The chain has taken back a block with a deposit of yours; withdrawals wait until it is clear.',
    )
  }
  if (available < amountWei) {
    const details = { available: available.toString(), required: amountWei.toString() }
    return refuse('insufficient_chips', `You do not have that many ${token} chips.`, details)
  }
  return null
}

export function wrongNonce(next: number): Refusal {
  const details = { expected: next }
  return refuse('nonce_mismatch', `Your next withdrawal has the nonce ${next}.`, details)
}

/** Whether a withdrawal has come to an end, as far as the chain has confirmed it. */
export function isOver(status: WithdrawalStatus): boolean {
  return status === 'confirmed' || status === 'failed'
}

/**
 * What moves when a withdrawal's status changes; empty where nothing does. A confirmed one can
 * still fail and a failed one still be confirmed, when the chain takes back what was final.
 */
export function statusPostings(
  { token, amountWei }: { token: Token; amountWei: string },
  from: WithdrawalStatus,
  to: WithdrawalStatus,
): Posting[] {
  const held = (status: WithdrawalStatus): Account =>
    status === 'confirmed' ? 'vault' : status === 'failed' ? 'chips' : 'withdrawing'
  if (held(from) === held(to)) return []
  return [{ token, from: held(from), to: held(to), amountWei }]
}
