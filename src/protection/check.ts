import { max } from '../core/bigint.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import { isoTime, MINUTE_MS } from '../core/utc-day.ts'
import type { Head } from '../ledger/head.ts'
import { NO_PROTECTION_COUNTERS } from '../ledger/protection-counters.ts'
import type { Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'
import { ceilingOf, WINDOW_MS, type LimitScope, type Limit, type LimitWindow } from './limit.ts'
import { measureOf } from './measure.ts'
import { exclusionEnd, isExcluded, type Protection } from './protection.ts'
import { addedPlayMs, FIRST_STAKE_MS, isPlaying, SESSION_GAP_MS } from './session.ts'

/** A stake, a play or a partner's debit, about to be made. */
export interface Stake {
  token: Token
  /** In smallest units. */
  amountWei: bigint
  /** In unix milliseconds. */
  at: number
  /** Whether it is a debit, so that its refusal is read by a partner. */
  isDebit?: boolean
}

/** The parts of a journal that checks read. */
export interface JournalTimes {
  latest(): Head & { at: number }
  /** Returns the journal's head at a time, including the entries of that millisecond. */
  headBy(unixMs: number): Head
  /** Returns the time of the first entry after a given time whose head has a property. The latest head must have it. */
  firstAt(afterMs: number, has: (head: Head) => boolean): number
}

/** A limit that a stake would pass. */
interface Reached {
  limit: Limit
  /** The amount left of it, in smallest units or milliseconds. */
  left: bigint
  /** When the stake fits if nothing else is staked, in unix milliseconds; null if it never does. */
  resetsAt: number | null
}

const PERIODS: Record<LimitWindow, string> = { day: '24 hours', week: '7 days', month: '30 days' }

/** Refuses a stake of an excluded player, or one that passes a limit. Reads the journal only if there is a limit. */
export function checkProtection(
  protection: Protection,
  stake: Stake,
  journal: JournalTimes,
): Refusal | null {
  const { isDebit = false } = stake
  const barred = checkExclusion(protection, stake.at, isDebit)
  if (barred) return barred
  const reached = protection.limits
    .filter(({ kind, token }) => kind !== 'deposit' && (token === null || token === stake.token))
    .flatMap((limit) => reachedBy(limit, stake, journal) ?? [])
  const [first, ...others] = reached
  return first ? limitReached(others.reduce(later, first), isDebit) : null
}

/** Refuses an excluded player. @param now in unix milliseconds; isDebit see {@link Stake} */
export function checkExclusion(
  protection: Protection,
  now: number,
  isDebit = false,
): Refusal | null {
  if (!isExcluded(protection, now)) return null
  const until = exclusionEnd(protection, now)
  const [who, asker] = isDebit
    ? ['The player has excluded themselves', 'they ask']
    : ['You have excluded yourself', 'you ask']
  const end =
    until === null ? `until 7 days after ${asker} to end the exclusion` : `until ${isoTime(until)}`
  const rest = isDebit
    ? 'Credits and rollbacks still pass.'
    : 'You can still withdraw everything you have.'
  return refuse('excluded', `${who} from play ${end}. ${rest}`, { until })
}

/**
 * Returns how much of a limit a window has used, in smallest units or milliseconds. A stake that was open when the
 * window began counts in it, because it may be returned: that must not make room for another one.
 * @param now in unix milliseconds
 */
export function usedOf(limit: LimitScope, journal: JournalTimes, now: number): bigint {
  const measure = measureOf(limit)
  return measure(journal.latest()) - measure(ended(journal.headBy(now - WINDOW_MS[limit.window])))
}

/** Returns a head as if nothing were open. */
function ended(head: Head): Head {
  return { ...head, openBets: [], openGame: null }
}

/** Returns the part of a deposit that its player's limits let become chips, in smallest units. */
export function allowedDeposit(
  { limits }: Protection,
  { token, amountWei, at }: Stake,
  journal: JournalTimes,
): bigint {
  return limits
    .filter((limit) => limit.kind === 'deposit' && limit.token === token)
    .map((limit) => max(0n, (ceilingOf(limit) ?? 0n) - usedOf(limit, journal, at)))
    .reduce((allowed, left) => (left < allowed ? left : allowed), amountWei)
}

function reachedBy(limit: Limit, stake: Stake, journal: JournalTimes): Reached | null {
  const { at } = stake
  const ceiling = ceilingOf(limit) ?? 0n
  const latest = journal.latest()
  const guarded = latest.guarded ?? NO_PROTECTION_COUNTERS
  const isTime = limit.kind === 'session'
  const used = usedOf(limit, journal, at)
  const added = isTime ? BigInt(addedPlayMs(guarded, at)) : stake.amountWei
  if (used + added <= ceiling) return null
  const left = max(0n, ceiling - used)
  // After a break, a stake begins a session of its own.
  const rest = isTime ? BigInt(FIRST_STAKE_MS) : added
  if (rest > ceiling) return { limit, left, resetsAt: null }
  const fitsAt = used + rest <= ceiling ? at : freeAt(limit, rest, at, journal)
  const breakEndsAt = isTime && isPlaying(guarded, at) ? guarded.lastStakeAt + SESSION_GAP_MS : at
  return { limit, left, resetsAt: Math.max(fitsAt, breakEndsAt) }
}

/** Returns when enough has left the window of a limit for an amount to fit. */
function freeAt(limit: Limit, amount: bigint, at: number, journal: JournalTimes): number {
  const measure = measureOf(limit)
  const windowMs = WINDOW_MS[limit.window]
  const latest = journal.latest()
  const needed = measure(latest) + amount - (ceilingOf(limit) ?? 0n)
  const isFree = (head: Head) => measure(ended(head)) >= needed
  // An open stake counts until its end has left the window. Nobody knows when it ends.
  if (!isFree(latest)) return at + windowMs
  return journal.firstAt(at - windowMs, isFree) + windowMs
}

function later(some: Reached, other: Reached): Reached {
  return (other.resetsAt ?? Infinity) > (some.resetsAt ?? Infinity) ? other : some
}

function limitReached({ limit, left, resetsAt }: Reached, isDebit: boolean): Refusal {
  const { kind, window, token } = limit
  const details = { resetsAt, kind, window, token, left: leftText(limit, left) }
  const advice = resetsAt === null ? neverFits(isDebit) : fitsFrom(resetsAt, isDebit)
  return refuse('limit_reached', `${limitText(limit, left, isDebit)} ${advice}`, details)
}

function neverFits(isDebit: boolean): string {
  return isDebit
    ? 'Debit less. Only the player can raise the limit.'
    : 'Stake less, or raise the limit.'
}

function fitsFrom(resetsAt: number, isDebit: boolean): string {
  return `You can ${isDebit ? 'make this debit' : 'stake this'} from ${isoTime(resetsAt)}.`
}

function limitText(
  { kind, window, token, amountWei, minutes }: Limit,
  left: bigint,
  isDebit: boolean,
): string {
  const period = PERIODS[window]
  if (token === null) {
    const who = isDebit ? 'The player has reached their' : 'You have reached your'
    return `${who} limit of ${minutes} minutes of play in ${period}.`
  }
  const [most, rest] = [wholeUnits(BigInt(amountWei ?? 0), token), wholeUnits(left, token)]
  const whose = isDebit ? "The player's" : 'Your'
  return `${whose} ${kind} limit is ${most} ${token} in ${period}, of which ${rest} ${token} is left.`
}

/** Returns the amount left in the form that answers show: smallest units, or whole minutes. */
function leftText({ token }: Limit, left: bigint): string {
  return (token === null ? left / BigInt(MINUTE_MS) : left).toString()
}
