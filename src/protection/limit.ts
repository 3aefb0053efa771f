import { refuse, type Refusal } from '../core/refusal.ts'
import { DAY_MS, isoTime, MINUTE_MS } from '../core/utc-day.ts'
import type { Token } from '../money/token.ts'

export const LIMIT_KINDS = ['loss', 'wager', 'deposit', 'session'] as const
export const LIMIT_WINDOWS = ['day', 'week', 'month'] as const

export type LimitKind = (typeof LIMIT_KINDS)[number]
export type LimitWindow = (typeof LIMIT_WINDOWS)[number]

/** The lengths of the rolling windows, in milliseconds. */
export const WINDOW_MS: Record<LimitWindow, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
}

/** How long a player waits before they can confirm a looser limit, in milliseconds. */
const LOOSER_AFTER_MS = DAY_MS

/** The scope of a limit: a token in a window, or playing time, which has no token. */
export interface LimitScope {
  kind: LimitKind
  window: LimitWindow
  token: Token | null
}

/** The most that a limit allows: an amount in smallest units, or minutes. Neither means no limit. */
export interface LimitValue {
  amountWei: string | null
  minutes: number | null
}

/** A player's limit. */
export interface Limit extends LimitScope, LimitValue {
  /** When its current value took effect, in unix milliseconds. */
  from: number
  /** A looser value, and when it can be confirmed. Neither amount nor minutes means removal. */
  pending: (LimitValue & { from: number }) | null
}

export const NO_LIMIT: LimitValue = { amountWei: null, minutes: null }

/** Returns the most that a limit allows, in smallest units or milliseconds; null without a limit. */
export function ceilingOf({ amountWei, minutes }: LimitValue): bigint | null {
  if (amountWei !== null) return BigInt(amountWei)
  return minutes === null ? null : BigInt(minutes * MINUTE_MS)
}

/**
 * Returns the limits after a player asks for a value: a tighter one holds at once and drops any pending value, and a
 * looser one waits to be confirmed. Returns the same list if nothing changes.
 * @param now in unix milliseconds
 */
export function withLimit(
  limits: readonly Limit[],
  counted: LimitScope,
  most: LimitValue,
  now: number,
): readonly Limit[] {
  const known = findLimit(limits, counted)
  const limit = known ? changedLimit(known, most, now) : newLimit(counted, most, now)
  if (limit === known) return limits
  return known && limit ? replaced(limits, known, limit) : [...limits, ...(limit ? [limit] : [])]
}

/**
 * Returns the limits after a player confirms a looser value. Returns the same list if nothing is pending, so
 * that a repeated confirmation changes nothing.
 * @param now in unix milliseconds
 */
export function withConfirmed(
  limits: readonly Limit[],
  counted: LimitScope,
  now: number,
): readonly Limit[] | Refusal {
  const known = findLimit(limits, counted)
  if (!known?.pending) return limits
  const { from, ...most } = known.pending
  if (now < from) {
    return refuse('too_early', `A looser limit takes 24 hours. Confirm it from ${isoTime(from)}.`, {
      from,
    })
  }
  return ceilingOf(most) === null
    ? limits.filter((other) => other !== known)
    : replaced(limits, known, { ...known, ...most, from: now, pending: null })
}

/**
 * Returns all limits of two lists, and the lower of two that count the same. Drops a looser value unless both wait for
 * it, so that the player asks for it again.
 */
export function stricterLimits(
  limits: readonly Limit[],
  others: readonly Limit[],
): readonly Limit[] {
  const lower = limits.map((limit) => {
    const other = findLimit(others, limit)
    if (!other) return limit
    const lowest = (ceilingOf(other) ?? 0n) < (ceilingOf(limit) ?? 0n) ? other : limit
    const isSame = JSON.stringify(limit.pending) === JSON.stringify(other.pending)
    return isSame ? lowest : { ...lowest, pending: null }
  })
  return [...lower, ...others.filter((other) => !findLimit(limits, other))]
}

function replaced(limits: readonly Limit[], known: Limit, limit: Limit): readonly Limit[] {
  return limits.map((other) => (other === known ? limit : other))
}

function changedLimit(known: Limit, most: LimitValue, now: number): Limit {
  const [wanted, present] = [ceilingOf(most), ceilingOf(known)]
  if (wanted === null || present === null || wanted > present) {
    const isPending = known.pending !== null && ceilingOf(known.pending) === wanted
    return isPending ? known : { ...known, pending: { ...most, from: now + LOOSER_AFTER_MS } }
  }
  if (wanted < present) return { ...known, ...most, from: now, pending: null }
  return known.pending ? { ...known, pending: null } : known
}

function newLimit(
  { kind, window, token }: LimitScope,
  most: LimitValue,
  now: number,
): Limit | undefined {
  if (ceilingOf(most) === null) return undefined
  return { kind, window, token, ...most, from: now, pending: null }
}

function findLimit(
  limits: readonly Limit[],
  { kind, window, token }: LimitScope,
): Limit | undefined {
  return limits.find(
    (limit) => limit.kind === kind && limit.window === window && limit.token === token,
  )
}
