import { hexToBytes } from '@noble/hashes/utils'
import { max, min } from '../core/bigint.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import { sha256Hex } from '../core/sha256.ts'
import type { Token } from '../money/token.ts'
import { SIGNATURE_UNCHECKED } from './refusals.ts'

/** EIP-712 types of the permission a player signs to let a partner debit chips, in the vault's domain. */
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

/** The rolling windows for counting debits, in minutes. */
export const HOUR_MINUTES = 60
export const DAY_MINUTES = 1_440

/** A player's signed permission. */
export interface Grant {
  partner: string
  token: Token
  /** The most that may be debited within 24 hours, in smallest units. */
  maxPerDayWei: bigint
  /** Unix seconds. */
  expiresAt: number
  nonce: number
  signature: string
  /** Whether the signature is the player's; null if only the chain can tell and it isn't answering. */
  isSigned: boolean | null
}

/** A granted permission, possibly expired. */
export type Permit = Pick<Grant, 'maxPerDayWei' | 'expiresAt'>

/** A permission's state in its ledger. */
export type PermissionState = {
  /** The nonce of the next grant. */
  nonce: number
  /** In smallest units; null once it is revoked, like the expiry. */
  maxPerDayWei: string | null
  /** Unix seconds. */
  expiresAt: number | null
}

/** A permission of a ledger, for a partner in one token. */
export interface StoredPermission extends PermissionState {
  partner: string
  token: Token
}

/** A player's permission for a partner in one token, as shown in answers. */
export interface Permission {
  partner: string
  token: Token
  /** The nonce of the next grant. */
  nonce: number
  /** "0" without a permission. */
  maxPerDayWei: string
  /** Unix seconds; null without a permission. */
  expiresAt: number | null
  /** The partner's debits in the last 24 hours, less its rollbacks. */
  usedWei: string
}

/** The operator's limits for a partner's debits in one token. */
export interface DebitLimits {
  /** Whether the operator lets the partner debit. */
  isOpen: boolean
  needsPermission: boolean
  /** The most it may debit one player within an hour, in smallest units. */
  hourWei: bigint
}

/** A partner's recent debits, in smallest units. */
export interface RecentDebits {
  hourWei: bigint
  dayWei: bigint
}

/** The length of a key's signature in hex with 0x. */
const KEY_SIGNATURE_CHARS = 2 + 65 * 2

/**
 * Returns a signature in the form that the journal keeps. A contract wallet's may be long, so its sha256 stands for it.
 */
export function keptSignature(signature: string): string {
  if (signature.length <= KEY_SIGNATURE_CHARS) return signature
  return `sha256:${sha256Hex(hexToBytes(signature.slice(2)))}`
}

/** Checks a grant: its nonce, then its signature. */
export function checkGrant({ nonce, isSigned }: Grant, expected: number): Refusal | null {
  if (nonce !== expected) {
    const message = `The nonce does not match. Sign this permission with nonce ${expected}.`
    return refuse('nonce_mismatch', message, { expected })
  }
  if (isSigned === false) {
    return refuse(
      'signature_invalid',
      'The signature does not match this permission. Check the domain, partner, token, limit, expiry and nonce, then sign again.',
    )
  }
  return isSigned ? null : SIGNATURE_UNCHECKED
}

/**
 * Refuses a debit that the operator has switched off or that lacks a required permission. Such a refusal
 * isn't stored, so the same call may succeed later.
 * @param now unix milliseconds
 */
export function checkDebitAllowed(
  limits: DebitLimits,
  permit: Permit | null,
  now: number,
): Refusal | null {
  if (!limits.isOpen) {
    return refuse(
      'closed',
      'The operator has switched off your debits. Ask the operator to switch them on.',
    )
  }
  if (!limits.needsPermission || (permit && now < permit.expiresAt * 1000)) return null
  return refuse(
    'permission_required',
    permit
      ? "The player's permission has expired. Ask the player to grant a new one."
      : 'The player has not permitted you to debit this token. Ask the player to grant permission.',
  )
}

/**
 * Returns the stricter of two states of a permission: without one unless both have it, and with the higher nonce, so
 * that no signature counts that either has used or invalidated.
 */
export function stricterPermission(some: PermissionState, other: PermissionState): PermissionState {
  const nonce = Math.max(some.nonce, other.nonce)
  if (some.maxPerDayWei === null || other.maxPerDayWei === null)
    return { nonce, maxPerDayWei: null, expiresAt: null }
  return {
    nonce,
    maxPerDayWei: min(BigInt(some.maxPerDayWei), BigInt(other.maxPerDayWei)).toString(),
    expiresAt: Math.min(some.expiresAt ?? 0, other.expiresAt ?? 0),
  }
}

/** Refuses a debit above the player's permission for 24 hours; it names the tighter of the two limits. */
export function checkPermitted(
  amountWei: bigint,
  limits: DebitLimits,
  permit: Permit | null,
  recent: RecentDebits,
): Refusal | null {
  if (!limits.needsPermission || !permit) return null
  const leftWei = permit.maxPerDayWei - recent.dayWei
  if (amountWei <= leftWei) return null
  return leftWei <= limits.hourWei - recent.hourWei
    ? debitAbove('the player permits you within 24 hours', leftWei)
    : checkHour(amountWei, limits, recent)
}

/** Refuses a debit above the operator's limit per player within an hour. */
export function checkHour(
  amountWei: bigint,
  { hourWei }: DebitLimits,
  recent: RecentDebits,
): Refusal | null {
  const leftWei = hourWei - recent.hourWei
  return amountWei > leftWei
    ? debitAbove('the operator allows you per player within an hour', leftWei)
    : null
}

function debitAbove(limit: string, leftWei: bigint): Refusal {
  const message = `The debit exceeds the limit that ${limit}. Debit at most maxPayout, under a new id.`
  return refuse('payout_limit', message, { maxPayout: max(0n, leftWei).toString() })
}
