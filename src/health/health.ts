import { endOfDay } from '../core/utc-day.ts'
import { beaconPublishedAt } from '../fairness/drand.ts'
import type { BooksFacts, Facts, ProbeResult } from './facts.ts'
import { THRESHOLDS } from './thresholds.ts'

/** The parts of the service, in the order of the answer. */
export const PARTS = [
  'table',
  'beacon',
  'chain',
  'relayer',
  'bankroll',
  'outboxes',
  'control',
  'log',
  'exports',
  'books',
  'solvency',
] as const

export type PartName = (typeof PARTS)[number]

/** A part's state. It is public, so it has no amount, address or number of messages. */
export interface Part {
  /** `off` if it isn't configured. */
  status: 'up' | 'degraded' | 'off'
  /** The age of the part's latest success or oldest open task, in milliseconds; null without one. */
  ageMs: number | null
  /** Null unless it is degraded. */
  message: string | null
}

export interface Health {
  status: 'up' | 'degraded'
  parts: Record<PartName, Part>
  /** When the objects were read, in unix milliseconds. */
  at: number
}

/** Judges the parts. One is degraded if it is late, wrong, or if its object did not answer. */
export function healthOf(facts: Facts): Health {
  const parts: Health['parts'] = {
    table: known(facts.table, (table) => tablePart(table, facts.at)),
    beacon: facts.hasBeacon ? known(facts.table, (table) => beaconPart(table, facts.at)) : OFF,
    chain: known(facts.chain, (chain) => chainPart(chain, facts)),
    relayer: known(facts.relayer, (relayer) => relayerPart(relayer, facts.at)),
    bankroll: known(facts.bankroll, (bankroll) => bankrollPart(bankroll, facts.at)),
    outboxes: outboxPart(facts),
    control: known(facts.control, () => up(null)),
    log: known(facts.log, (log) => logPart(log, facts.at)),
    exports: known(facts.exports, (exports) => exportPart(exports, facts.at)),
    books: known(facts.books, (books) => booksPart(books, facts.at)),
    solvency: known(facts.solvency, (solvency) => solvencyPart(solvency, facts)),
  }
  const isUp = PARTS.every((name) => parts[name].status !== 'degraded')
  return { status: isUp ? 'up' : 'degraded', parts, at: facts.at }
}

type Answered<T> = Exclude<T, 'off' | 'silent'>

const OFF: Part = { status: 'off', ageMs: null, message: null }

function known<T extends object>(found: ProbeResult<T>, judge: (facts: T) => Part): Part {
  if (found === 'off') return OFF
  return found === 'silent' ? degraded(null, 'This part does not answer.') : judge(found)
}

function up(ageMs: number | null): Part {
  return { status: 'up', ageMs, message: null }
}

function degraded(ageMs: number | null, message: string): Part {
  return { status: 'degraded', ageMs, message }
}

/** Returns a part that is degraded if it has a problem. */
function judged(ageMs: number | null, problem: string | false | null): Part {
  return problem ? degraded(ageMs, problem) : up(ageMs)
}

function tablePart(table: Answered<Facts['table']>, at: number): Part {
  const { newest, current, failingSince, isOpen } = table
  const { roundOpensWithinMs, beaconLateMs } = THRESHOLDS
  if (current) {
    // A round without its pepper is voided at this time, and one with it has taken off.
    const isStuck = isBeforeFlight(current.stage) && at > current.voidAt + beaconLateMs
    return judged(at - current.openedAt, isStuck && 'The current round is stuck.')
  }
  // It opens no rounds if operators have closed it, or if nobody looks.
  if (!isOpen || failingSince === null) return up(null)
  const isLate = at - failingSince > roundOpensWithinMs
  return judged(newest && at - newest.endedAt, isLate && 'No round opens.')
}

function isBeforeFlight(stage: string): boolean {
  return stage === 'waiting' || stage === 'open' || stage === 'locked'
}

function beaconPart({ newest, current }: Answered<Facts['table']>, at: number): Part {
  const { beaconLateMs, voidedForMs } = THRESHOLDS
  const ageMs = newest?.beacon == null ? null : at - beaconPublishedAt(newest.beacon)
  if (current && isBeforeFlight(current.stage) && at > current.flightAt + beaconLateMs) {
    return degraded(ageMs, 'The take-off waits for a late beacon.')
  }
  const isVoided = newest?.kind === 'voided' && at - newest.endedAt < voidedForMs
  return judged(ageMs, isVoided && 'The latest round had no beacon; its bets were refunded.')
}

function chainPart({ checkedAt, blockAt }: Answered<Facts['chain']>, { at, isLocal }: Facts): Part {
  if (checkedAt === null) return degraded(null, 'The chain has not been read yet.')
  const ageMs = at - checkedAt
  if (ageMs > THRESHOLDS.chainUnreadMs) {
    return degraded(ageMs, 'The chain cannot be read; deposits and withdrawals wait.')
  }
  const isOld = !isLocal && blockAt !== null && at - blockAt > THRESHOLDS.headOldMs
  return judged(ageMs, isOld && 'The newest block of the chain is old; deposits wait.')
}

function relayerPart({ withdrawals, prizes }: Answered<Facts['relayer']>, at: number): Part {
  const ages = [withdrawals, prizes].flatMap(({ oldestAt }) =>
    oldestAt === null ? [] : at - oldestAt,
  )
  const ageMs = ages.length === 0 ? null : Math.max(...ages)
  const isLate = ageMs !== null && ageMs > THRESHOLDS.orderLateMs
  return judged(ageMs, isLate && 'Withdrawals or prizes are paid late.')
}

function bankrollPart({ countedAt, isValid }: Answered<Facts['bankroll']>, at: number): Part {
  if (countedAt === null)
    return degraded(null, 'The bankroll has not been counted; no bets are accepted.')
  const ageMs = at - countedAt
  if (!isValid) return degraded(ageMs, 'The bankroll cannot be counted; no bets are accepted.')
  const isOld = ageMs > THRESHOLDS.countOldMs
  return judged(ageMs, isOld && 'The bankroll has not been counted for a while.')
}

function outboxPart({ stuck, at }: Facts): Part {
  const { oldestAt } = stuck
  if (oldestAt === null) return up(null)
  return degraded(at - oldestAt, 'Some updates are late; nothing is lost.')
}

function logPart({ isForked, failingSince }: Answered<Facts['log']>, at: number): Part {
  if (isForked) return degraded(null, 'The public log has stopped.')
  if (failingSince === null) return up(null)
  const ageMs = at - failingSince
  const isFailing = ageMs > THRESHOLDS.logFailingMs
  return judged(ageMs, isFailing && 'The archive of the public log does not answer.')
}

function exportPart({ nextDay, newestDay }: Answered<Facts['exports']>, at: number): Part {
  // In local play, the current day may be exported before it has ended.
  const ageMs = newestDay === null ? null : Math.max(0, sinceEnd(newestDay, at))
  const isLate = nextDay !== null && sinceEnd(nextDay, at) > THRESHOLDS.exportLateMs
  return judged(ageMs, isLate && 'The export of the latest day is late.')
}

function booksPart({ nextDay, newestDay }: BooksFacts, at: number): Part {
  const ageMs = newestDay === null ? null : sinceEnd(newestDay, at)
  const isLate = nextDay !== null && sinceEnd(nextDay, at) > THRESHOLDS.booksLateMs
  return judged(ageMs, isLate && "The house's books are late; play goes on.")
}

/** Returns how long ago a day ended, in milliseconds; negative before its end. */
function sinceEnd(day: string, at: number): number {
  return at - endOfDay(day)
}

function solvencyPart({ newest }: Answered<Facts['solvency']>, { at, bankroll }: Facts): Part {
  if (newest === null) {
    // The count of debts has had its inputs since the first count of the bankroll.
    const since = typeof bankroll === 'string' ? null : bankroll.firstCountedAt
    const isLate = since !== null && at - since > THRESHOLDS.solvencyOldMs
    return judged(null, isLate && 'The debts have never been counted.')
  }
  const ageMs = at - newest.at
  if (Object.values(newest.ratio).some((ratio) => Number(ratio) < 1)) {
    return degraded(ageMs, 'The vault holds less than is owed.')
  }
  const isOld = ageMs > THRESHOLDS.solvencyOldMs
  return judged(ageMs, isOld && 'The debts have not been counted for a while.')
}
