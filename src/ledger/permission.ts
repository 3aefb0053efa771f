import type { Token } from '../money/token.ts'
import { refuse, type Refusal } from '../core/refusal.ts'

/** EIP-712 types of what a player signs to let a partner debit chips; the domain is the vault's. */
export const PERMISSION_TYPES = {
  PartnerPermission: [
    { name: 'player', type: 'address' },
    { name: 'partner', type: 'string' },
    { name: 'token', type: 'address' },
    { name: 'maxPerDayWei', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const

/** The rolling windows in which debits are counted, in minutes. */
export const HOUR_MINUTES = 60
export const DAY_MINUTES = 1_440

/** What a player has signed, and whether the signature is the player's. */
export interface Grant {
  partner: string
  token: Token
  /** The most that may be debited within 24 hours, in smallest units. */
  maxPerDayWei: bigint
  /** Unix seconds. */
  expiresAt: number
  nonce: number
  signature: string
  /** Null where the chain would have to say and does not. */
  isSigned: boolean | null
}

/** A granted permission, which may have expired. */
export type Permit = Pick<Grant, 'maxPerDayWei' | 'expiresAt'>

/** What a player permits a partner in one token, as it is answered. */
export interface Permission {
  partner: string
  token: Token
  /** The nonce of the next grant. */
  nonce: number
  /** "0" without a permission. */
  maxPerDayWei: string
  /** Unix seconds; null without a permission. */
  expiresAt: number | null
  /** What the partner has debited in the last 24 hours, less what it has rolled back. */
  usedWei: string
}

/** The operator's terms for what a partner debits in one token. */
export interface DebitTerms {
  /** Whether the partner may debit at all. */
  isOpen: boolean
  needsPermission: boolean
  /** The most it may debit one player within an hour, in smallest units. */
  hourWei: bigint
}

/** What was debited lately, in smallest units. */
export interface RecentDebits {
  hourWei: bigint
  dayWei: bigint
}

/** Checks a grant: its nonce, then its signature. */
export function checkGrant({ nonce, isSigned }: Grant, expected: number): Refusal | null {
  if (nonce !== expected) {
    return refuse('nonce_mismatch', `The next permission of this kind has the nonce ${expected}.`, {
      expected,
    })
  }
  if (isSigned === false) {
    return refuse(
      'signature_invalid',
      "The signature is not your wallet's over this permission: check domain, partner, token, limit, expiry and nonce.",
    )
  }
  if (isSigned) return null
  return refuse('chain_unavailable', 'The chain cannot be asked about this wallet now; try again.')
}

/**
 * Refuses a debit that nobody has allowed: switched off by the operator, or without a permission that is
 * required. Such a refusal is not kept: the same call may be carried out later.
 * @param now unix milliseconds
 */
export function checkLeave(terms: DebitTerms, permit: Permit | null, now: number): Refusal | null {
  if (!terms.isOpen) {
    return refuse('closed', 'Your debits are switched off here: ask the operator.')
  }
  if (!terms.needsPermission || (permit && now < permit.expiresAt * 1000)) return null
  return refuse(
    'permission_required',
    permit
      ? "The player's permission has expired: have the player grant a new one."
      : 'The player has not permitted you to debit this token: have the player grant it.',
  )
}

/** Refuses a debit above the player's daily or the operator's hourly limit. */
export function checkDebit(
  amountWei: bigint,
  { hourWei, needsPermission }: DebitTerms,
  permit: Permit | null,
  recent: RecentDebits,
): Refusal | null {
  const leftThisHour = hourWei - recent.hourWei
  if (needsPermission && permit) {
    const leftToday = permit.maxPerDayWei - recent.dayWei
    if (leftToday <= leftThisHour && amountWei > leftToday) {
      return debitAbove('the player permits within 24 hours', leftToday)
    }
  }
  return amountWei > leftThisHour
    ? debitAbove('you may debit one player within an hour', leftThisHour)
    : null
}

function debitAbove(limit: string, leftWei: bigint): Refusal {
  return refuse('payout_limit', `The debit is above what ${limit}.`, {
    maxPayout: (leftWei > 0n ? leftWei : 0n).toString(),
  })
}
