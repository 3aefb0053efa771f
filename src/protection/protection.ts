import { isRefusal, type Refusal } from '../core/refusal.ts'
import { sha256Hex } from '../core/sha256.ts'
import { DAY_MS } from '../core/utc-day.ts'
import {
  NO_LIMIT,
  stricterLimits,
  withConfirmed,
  withLimit,
  type LimitScope,
  type Limit,
  type LimitValue,
} from './limit.ts'

/** The longest exclusion with an end, in days. */
export const MAX_EXCLUDED_DAYS = 1_825

/** How long an exclusion without an end lasts after its player asks for its end, in milliseconds. */
export const READMITTED_AFTER_MS = 7 * DAY_MS

/** The protection that a player has asked for. */
export interface Protection {
  limits: readonly Limit[]
  /** The latest end of their exclusions, in unix milliseconds, which may have passed; 0 without any. */
  excludedUntil: number
  /** Whether they are excluded until they ask for the end. */
  isExcludedUntilAsked: boolean
  /** How often they are reminded of the time; null for never. */
  realityCheckMinutes: number | null
}

export const UNPROTECTED: Protection = {
  limits: [],
  excludedUntil: 0,
  isExcludedUntilAsked: false,
  realityCheckMinutes: null,
}

/** A change that a player asks for, or that a restore of their ledger makes. Crosses object calls. */
export type ProtectionChange =
  | { action: 'set'; counted: LimitScope; most: LimitValue }
  | { action: 'confirm' | 'remove'; counted: LimitScope }
  /** @property days null for an exclusion until the player asks for its end */
  | { action: 'exclude'; days: number | null }
  | { action: 'readmit' }
  | { action: 'reality-check'; minutes: number | null }
  /** @property known the known state of a protection that the ledger may have lost */
  | { action: 'take-over'; known: Protection }

/**
 * Returns a player's protection after a change. Returns the same object if nothing changes. No change makes a
 * limit looser within 24 hours, or an exclusion shorter.
 * @param now in unix milliseconds
 */
export function changed(
  protection: Protection,
  change: ProtectionChange,
  now: number,
): Protection | Refusal {
  const { limits, realityCheckMinutes } = protection
  switch (change.action) {
    case 'set':
      return withLimits(protection, withLimit(limits, change.counted, change.most, now))
    case 'remove':
      return withLimits(protection, withLimit(limits, change.counted, NO_LIMIT, now))
    case 'confirm':
      return withLimits(protection, withConfirmed(limits, change.counted, now))
    case 'exclude':
      return excluding(protection, change.days, now)
    case 'readmit':
      return readmitting(protection, now)
    case 'reality-check':
      return change.minutes === realityCheckMinutes
        ? protection
        : { ...protection, realityCheckMinutes: change.minutes }
    case 'take-over':
      return stricter(protection, change.known)
  }
}

/** Returns a player's protection as the journal keeps it after a change: the sha256 of its JSON text, in hex. */
export function protectionHash(protection: Protection): string {
  return sha256Hex(JSON.stringify(protection))
}

/** Returns whether a player is excluded. @param now in unix milliseconds */
export function isExcluded(protection: Protection, now: number): boolean {
  return protection.isExcludedUntilAsked || now < protection.excludedUntil
}

/** Returns whether a protection forbids everything that another one forbids. */
export function isTighter(protection: Protection, other: Protection): boolean {
  return stricter(protection, other) === protection
}

/** Returns when an exclusion ends, in unix milliseconds; null without one, and without an end. */
export function exclusionEnd(protection: Protection, now: number): number | null {
  const isEnding = !protection.isExcludedUntilAsked && now < protection.excludedUntil
  return isEnding ? protection.excludedUntil : null
}

function withLimits(
  protection: Protection,
  limits: readonly Limit[] | Refusal,
): Protection | Refusal {
  if (isRefusal(limits)) return limits
  return limits === protection.limits ? protection : { ...protection, limits }
}

function excluding(protection: Protection, days: number | null, now: number): Protection {
  if (days === null) {
    return protection.isExcludedUntilAsked
      ? protection
      : { ...protection, isExcludedUntilAsked: true }
  }
  return until(protection, now + days * DAY_MS)
}

function readmitting(protection: Protection, now: number): Protection {
  if (!protection.isExcludedUntilAsked) return protection
  return until({ ...protection, isExcludedUntilAsked: false }, now + READMITTED_AFTER_MS)
}

/**
 * Returns a protection that forbids everything that either of two forbids: the first object itself if nothing is added.
 */
function stricter(protection: Protection, other: Protection): Protection {
  const [own, others] = [protection.realityCheckMinutes, other.realityCheckMinutes]
  const both: Protection = {
    limits: stricterLimits(protection.limits, other.limits),
    excludedUntil: Math.max(protection.excludedUntil, other.excludedUntil),
    isExcludedUntilAsked: protection.isExcludedUntilAsked || other.isExcludedUntilAsked,
    realityCheckMinutes: own === null || others === null ? (own ?? others) : Math.min(own, others),
  }
  return JSON.stringify(both) === JSON.stringify(protection) ? protection : both
}

function until(protection: Protection, end: number): Protection {
  return end <= protection.excludedUntil ? protection : { ...protection, excludedUntil: end }
}
