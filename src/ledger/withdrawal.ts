import { invariant } from '../core/invariant.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import { DAY_MS } from '../core/utc-day.ts'
import type { Token } from '../money/token.ts'
import type { KnownModes } from '../operator/modes.ts'
import { postingsOf, type Account, type Posting } from './accounts.ts'
import type { Me } from './me.ts'
import { checkAvailable, SIGNATURE_UNCHECKED } from './refusals.ts'

/**
 * A withdrawal's status: accepted, sent to the chain, paid there, or refunded because its nonce was
 * used up there without a payment.
 */
export type WithdrawalStatus = 'pending' | 'submitted' | 'confirmed' | 'failed'

/** A player's withdrawal request, as the router passes it to the ledger. */
export interface WithdrawalRequest {
  token: Token
  amountWei: bigint
  nonce: number
  signature: string
  /** Whether the signature is the player's; null if only the chain can tell and it isn't answering. */
  isSigned: boolean | null
  /** The current minimum, in smallest units. A whole balance below it may be withdrawn once a day. */
  min: bigint
  /** Whether the vault was paused when the chain was last read; a paused vault refuses to pay. */
  isVaultPaused: boolean
  /** The hash of the terms of play in force. */
  terms: string
  modes: KnownModes
}

/** The relayer's report on a withdrawal; later reports have higher versions. */
export interface WithdrawalProgress {
  status: WithdrawalStatus
  txHash: string | null
  version: number
  /** The player's next nonce in the vault, if it is settled and another account's transactions have used some. */
  nextNonce?: number | undefined
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
  receipt?: string
}

/** The ledger's state when it decides on a withdrawal. */
export interface WithdrawalContext {
  /** The nonce of the next withdrawal. */
  next: number
  /** Chips and the quarantine. */
  available: bigint
  /** Chips of the token in open bets and games, in smallest units. */
  inPlay: bigint
  isUnderWay: boolean
  /** The time since the last withdrawal below the minimum, in milliseconds; null if there was none. */
  sinceSmallMs: number | null
  /** Whether a reorganisation removed a deposit; withdrawals then wait until it is back. */
  hasMissingDeposit: boolean
}

/** The context of a wallet that has never had chips. */
export const NEW_WALLET: WithdrawalContext = {
  next: 0,
  available: 0n,
  inPlay: 0n,
  isUnderWay: false,
  sinceSmallMs: null,
  hasMissingDeposit: false,
}

/** Checks a withdrawal's nonce, bounds, signature, any other in progress, the chain and the chips, in this order. */
export function checkWithdrawal(
  { token, amountWei, nonce, isSigned, min, isVaultPaused }: WithdrawalRequest,
  { next, available, inPlay, isUnderWay, sinceSmallMs, hasMissingDeposit }: WithdrawalContext,
): Refusal | null {
  if (nonce !== next) return wrongNonce(next)
  if (amountWei === 0n || isSmall(amountWei, min)) {
    const details = { min: min.toString(), max: available.toString() }
    if (amountWei === 0n || amountWei !== available || inPlay > 0n) {
      const reason = isSmall(available, min)
        ? 'Your balance is below the minimum.'
        : 'The amount is out of bounds. Withdraw an amount between min and max.'
      return refuse(
        'amount_out_of_bounds',
        `${reason} Once a day you can withdraw all your chips of a token, even below the minimum, if none are in play.`,
        details,
      )
    }
    if (sinceSmallMs !== null && sinceSmallMs < DAY_MS) {
      return refuse(
        'amount_out_of_bounds',
        'You have already withdrawn a balance below the minimum within the last 24 hours. Try again tomorrow.',
        details,
      )
    }
  }
  if (isSigned === false) {
    return refuse(
      'signature_invalid',
      'The signature does not match this withdrawal. Check the chain, vault, token, amount and nonce, then sign again.',
    )
  }
  if (isUnderWay) {
    return refuse('withdrawal_pending', 'Another withdrawal is in progress; wait for it to finish.')
  }
  if (isSigned === null) return SIGNATURE_UNCHECKED
  if (isVaultPaused) {
    return refuse(
      'chain_unavailable',
      'The vault is paused and is not paying out. Your chips remain yours. Try again later.',
    )
  }
  if (hasMissingDeposit) {
    return refuse(
      'chain_unavailable',
      'A chain reorganisation removed one of your deposits. Try again once the deposit is back on the chain.',
    )
  }
  return checkAvailable(token, amountWei, available)
}

/** Returns whether an amount is below the minimum, which only a whole balance may be, once a day. */
export function isSmall(amountWei: bigint, min: bigint): boolean {
  return amountWei < min
}

/** Refuses a whole balance below the minimum whose wallet's code takes more gas than the service pays for it. */
export function tooDear(amountWei: bigint, min: bigint): Refusal {
  return refuse(
    'amount_out_of_bounds',
    'Your wallet is a contract that takes too much gas for an amount below the minimum. Withdraw at least the minimum.',
    { min: min.toString(), max: amountWei.toString() },
  )
}

export function wrongNonce(next: number): Refusal {
  const details = { expected: next }
  return refuse('nonce_mismatch', `The nonce does not match. Sign with nonce ${next}.`, details)
}

/**
 * Returns whether a withdrawal may change from one status to another. A failed withdrawal stays failed:
 * its chips were refunded and may be lost by now, so they aren't debited again even if the chain pays
 * after all. A confirmed withdrawal may change if a reorganisation reverts a final block.
 */
export function mayBecome(from: WithdrawalStatus, to: WithdrawalStatus): boolean {
  return from !== 'failed' || to === 'failed'
}

/** The vault's actual payment for a nonce. */
export interface VaultPayout {
  token: Token
  /** Smallest units. */
  amountWei: string
}

/** A payment of the vault that the player's ledger has not booked. */
export interface UnrecordedPayout extends VaultPayout {
  txHash: string
  /** The player's next nonce in the vault, if it is known. */
  nextNonce?: number | undefined
}

/** The end that an operators' act gives a withdrawal. */
export interface Resolution {
  vaultId: string
  nonce: number
  outcome: 'confirmed' | 'failed'
  actId: string
}

/**
 * Returns the postings that charge the difference to the house if an operators' act ends a withdrawal
 * whose nonce the vault used for another payment. The vault account then agrees with the vault's events.
 */
export function differencePostings(
  { token, amountWei }: VaultPayout,
  outcome: 'confirmed' | 'failed',
  paid: VaultPayout | null,
): Posting[] {
  const isBooked = outcome === 'confirmed'
  return [
    ...(isBooked ? [{ token, from: 'vault' as const, to: 'house' as const, amountWei }] : []),
    ...(paid ? [{ ...paid, from: 'house' as const, to: 'vault' as const }] : []),
  ]
}

/** Returns whether a withdrawal has ended, as far as the chain has confirmed. */
export function hasEnded(status: WithdrawalStatus): boolean {
  return status === 'confirmed' || status === 'failed'
}

/** Returns the postings that set a withdrawal's amount aside, from the quarantine first. */
export function setAsidePostings(
  token: Token,
  amountWei: bigint,
  quarantinedWei: bigint,
): Posting[] {
  return postingsOf(
    token,
    ['quarantine', 'withdrawing', quarantinedWei],
    ['chips', 'withdrawing', amountWei - quarantinedWei],
  )
}

/**
 * Returns the postings for a withdrawal's change of status; empty if nothing moves.
 * @param quarantinedWei the part that left quarantine, and returns there if the withdrawal fails
 * @throws InvariantError if the change isn't allowed
 */
export function statusPostings(
  { token, amountWei }: { token: Token; amountWei: string },
  from: WithdrawalStatus,
  to: WithdrawalStatus,
  quarantinedWei = 0n,
): Posting[] {
  invariant(mayBecome(from, to), `a ${from} withdrawal cannot become ${to}`)
  const held = (status: WithdrawalStatus, home: Account): Account =>
    status === 'confirmed' ? 'vault' : status === 'failed' ? home : 'withdrawing'
  if (held(from, 'chips') === held(to, 'chips')) return []
  return postingsOf(
    token,
    [held(from, 'quarantine'), held(to, 'quarantine'), quarantinedWei],
    [held(from, 'chips'), held(to, 'chips'), BigInt(amountWei) - quarantinedWei],
  )
}
