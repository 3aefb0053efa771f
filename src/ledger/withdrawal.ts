import { invariant } from '../core/invariant.ts'
import type { Token } from '../money/token.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import type { Account, Posting } from './accounts.ts'
import type { Me } from './me.ts'

const DAY_MS = 86_400_000

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
  /** The smallest withdrawal now, in smallest units. A whole balance below it may leave once a day. */
  min: bigint
  /** Whether the vault was paused when the chain was last looked at: it would refuse to pay. */
  isVaultPaused: boolean
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
  /** How long ago a whole balance below the minimum last left, in milliseconds; null if it never did. */
  sinceSmallMs: number | null
  /** A deposit was reorganised away: until it is back nothing leaves. */
  isFrozen: boolean
}

/** Checks a new withdrawal: its nonce, the bounds, the signature, what is in progress, the chain, the chips. */
export function checkWithdrawal(
  { token, amountWei, nonce, isSigned, min, isVaultPaused }: WithdrawalRequest,
  { next, available, isUnderWay, sinceSmallMs, isFrozen }: WithdrawalContext,
): Refusal | null {
  if (nonce !== next) return wrongNonce(next)
  if (isSmall(amountWei, min)) {
    const details = { min: min.toString(), max: available.toString() }
    if (amountWei === 0n || amountWei !== available) {
      return refuse(
        'amount_out_of_bounds',
        'Withdraw an amount between min and max. Once a day all chips of a token can be withdrawn, however few.',
        details,
      )
    }
    if (sinceSmallMs !== null && sinceSmallMs < DAY_MS) {
      return refuse(
        'amount_out_of_bounds',
        'All chips of a token can be withdrawn below the minimum once a day; try again tomorrow.',
        details,
      )
    }
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
  if (isVaultPaused) {
    return refuse(
      'chain_unavailable',
      'The vault is paused and pays nothing now. Your chips stay yours; try again later.',
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

/** Returns whether an amount is below the minimum, so that only a whole balance may leave, once a day. */
export function isSmall(amountWei: bigint, min: bigint): boolean {
  return amountWei < min
}

export function wrongNonce(next: number): Refusal {
  const details = { expected: next }
  return refuse('nonce_mismatch', `Your next withdrawal has the nonce ${next}.`, details)
}

/**
 * Returns whether a withdrawal may go from one status to another. A failed one stays failed: its chips came
 * back and may be played away, so they are not taken again, even if the chain pays after all. A confirmed
 * one may go on, where the chain took back what was final.
 */
export function mayBecome(from: WithdrawalStatus, to: WithdrawalStatus): boolean {
  return from !== 'failed' || to === 'failed'
}

/** What the vault paid with a nonce. */
export interface Paid {
  token: Token
  /** Smallest units. */
  amountWei: string
}

/**
 * Returns what the house takes over where an owner's act ends a withdrawal with whose nonce the vault paid
 * something else, so that the vault account says again what the vault's logs say.
 */
export function differencePostings(
  { token, amountWei }: Paid,
  outcome: 'confirmed' | 'failed',
  paid: Paid | null,
): Posting[] {
  const isBooked = outcome === 'confirmed'
  return [
    ...(isBooked ? [{ token, from: 'vault' as const, to: 'house' as const, amountWei }] : []),
    ...(paid ? [{ ...paid, from: 'house' as const, to: 'vault' as const }] : []),
  ]
}

/** Whether a withdrawal has come to an end, as far as the chain has confirmed it. */
export function isOver(status: WithdrawalStatus): boolean {
  return status === 'confirmed' || status === 'failed'
}

/** Returns what moves when a withdrawal's status changes as it may; empty where nothing does. */
export function statusPostings(
  { token, amountWei }: { token: Token; amountWei: string },
  from: WithdrawalStatus,
  to: WithdrawalStatus,
): Posting[] {
  invariant(mayBecome(from, to), `a ${from} withdrawal does not become ${to}`)
  const held = (status: WithdrawalStatus): Account =>
    status === 'confirmed' ? 'vault' : status === 'failed' ? 'chips' : 'withdrawing'
  if (held(from) === held(to)) return []
  return [{ token, from: held(from), to: held(to), amountWei }]
}
