import { canonicalJson } from '../core/canonical-json.ts'
import { isoTime } from '../core/utc-day.ts'
import type { WholeRound } from '../crash/disclosure.ts'
import { planEntry } from '../crash/log-entries.ts'
import { BEACON_MARGIN_MS, type RoundPlan } from '../crash/plan.ts'
import { sameFields, type Check } from '../fairness/check.ts'
import { beaconPublishedAt } from '../fairness/drand.ts'
import { sourceText, type PepperSource } from '../fairness/pepper.ts'
import { commits } from '../fairness/seed.ts'
import type { LogEntry, LoggedEntry } from '../transparency/entry.ts'
import { checkDeadline, checkTakeoff, verifyBets, verifyEnd } from './whole-round.ts'

/** The entries of a round in the public log, as far as they are there. */
export interface LoggedRound {
  plan: LoggedEntry
  /** When the reader last saw the log without the plan, by their clock, in unix milliseconds; null if never. */
  absentAt: number | null
  bets: LoggedEntry | null
  /** The table's view of the round's bets before the log had them; absent if nobody had to ask. */
  table?: TableSeen
  /** Its `end` or `void`. */
  result: LoggedEntry | null
}

/** The entries of an ended round in a public log. */
export type RoundInLog = Pick<LoggedRound, 'plan' | 'bets' | 'result'>

/** The table's view of the bets of a round whose log was late, by the reader's clock in unix milliseconds. */
export interface TableSeen {
  /** When it was last asked while it showed no root; null if never. */
  absentAt: number | null
  /** The root and the number of bets that it showed, and when; null before that. */
  root: { betsRoot: string; betCount: number; at: number } | null
}

/** The fields of a plan that the checks need. */
interface Plan {
  at: number
  seedHash: string
  betsCloseAt: number
  flightAt: number
  voidAt: number
  pepperSource: PepperSource
}

/** An end without a void's fields, and the reverse. */
interface Result {
  kind: LogEntry['kind']
  at: number
  seed: string
  pepper?: string
  signature?: string | null
  crash?: number
  takeoffAt?: number
  reason?: string
  betsRoot: string
  betCount: number
}

/** A plan for the far future would never have to be carried out. */
export const LONGEST_BETTING_MS = 3_600_000

/**
 * Returns whether a round was planned in the log that another one succeeds. The house could date the opening back, so
 * bets must have closed then, too, which the beacon shows, and the round must have a lower number than the first one of
 * the later log.
 * @param began when the later log began, in unix milliseconds
 * @param firstRound the number of the first round that it has planned; null if it has planned none
 */
export function isPlannedBefore(
  { roundId, openedAt, betsCloseAt }: Pick<RoundPlan, 'roundId' | 'openedAt' | 'betsCloseAt'>,
  began: number,
  firstRound: number | null,
): boolean {
  const isNumbered = firstRound === null || roundId < firstRound
  return isNumbered && openedAt < began && betsCloseAt < began + LONGEST_BETTING_MS
}

/** Checks a round by the log alone: the order of its entries, their times, and the seed. */
export function verifyLogged({ plan, bets, result }: RoundInLog): Check[] {
  const planned = planOf(plan)
  const { at, betsCloseAt, seedHash, pepperSource } = planned
  return [
    {
      claim: `it was planned, at ${isoTime(at)}, before its bets closed at ${isoTime(betsCloseAt)}`,
      holds: at < betsCloseAt && betsCloseAt <= at + LONGEST_BETTING_MS,
    },
    ...checkClose(betsCloseAt, pepperSource),
    checkDeadline(planned),
    ...(bets ? checkBets(plan, bets, pepperSource) : []),
    ...(result ? checkResult(plan, bets, result, seedHash) : []),
  ]
}

/** Checks that a plan closes bets in time for their root to be public before the beacon. */
function checkClose(betsCloseAt: number, source: PepperSource): Check[] {
  // A committed pepper has no time of its own.
  if (source.kind === 'committed') return []
  const publishedAt = beaconPublishedAt(source.round)
  const claim = `its bets closed, at ${isoTime(betsCloseAt)}, well before its beacon was published at ${isoTime(publishedAt)}`
  return [{ claim, holds: betsCloseAt + BEACON_MARGIN_MS <= publishedAt }]
}

function checkBets(plan: LoggedEntry, bets: LoggedEntry, source: PepperSource): Check[] {
  const { at } = bets.entry
  const { betsCloseAt } = planOf(plan)
  const after = [
    {
      claim: 'its bets were logged after its plan',
      holds: bets.index > plan.index && at >= betsCloseAt,
    },
    {
      claim: `its bets were fixed at their close at ${isoTime(betsCloseAt)}, not at ${isoTime(at)}`,
      holds: at === betsCloseAt,
    },
  ]
  if (source.kind === 'committed') return after
  const publishedAt = beaconPublishedAt(source.round)
  const claim = `its bets were logged, at ${isoTime(at)}, before its beacon was published at ${isoTime(publishedAt)}`
  return [{ claim, holds: at + ROOT_AHEAD_MS <= publishedAt }, ...after]
}

/** The root over the bets is public at least this long before the beacon. */
const ROOT_AHEAD_MS = 1_000

function checkResult(
  plan: LoggedEntry,
  bets: LoggedEntry | null,
  result: LoggedEntry,
  seedHash: string,
): Check[] {
  const { kind, at, seed, betsRoot, betCount, takeoffAt = NaN } = resultOf(result)
  const { betsCloseAt } = planOf(plan)
  return [
    {
      claim: 'its end was logged last, after its bets closed',
      holds: result.index > Math.max(plan.index, bets?.index ?? 0) && at >= betsCloseAt,
    },
    {
      claim: 'its bets were logged before its end, with the same root',
      holds: bets?.entry['betsRoot'] === betsRoot && bets.entry['betCount'] === betCount,
    },
    {
      claim: `the logged seed matches the planned hash ${seedHash}`,
      holds: commits(seedHash, seed),
    },
    kind === 'void' ? checkVoidTime(at, planOf(plan)) : checkTakeoff(takeoffAt, planOf(plan)),
  ]
}

function checkVoidTime(at: number, { voidAt }: Plan): Check {
  const claim = `it was voided, at ${isoTime(at)}, only after its deadline for the pepper at ${isoTime(voidAt)}`
  return { claim, holds: at >= voidAt }
}

/** When an entry was shown, by the reader's clock, in unix milliseconds. */
export interface EntrySighting {
  /** When a checkpoint without the entry was last shown; null if never. */
  absentAt: number | null
  /** Since when the log has answered without a break; null if it has not. */
  answeredSince: number | null
  /** Whether the log has failed to answer in time since that checkpoint; absent if not. */
  wasSilent?: boolean
  /** When the entry was read. */
  readAt: number
}

/**
 * How much later than it should an entry may be shown before it proves anything, in milliseconds. A checkpoint may be
 * shown for a second in two places, a failed delivery is repeated after a second, and alarms and clocks are late.
 * Shorter delays are only reported.
 */
export const LATENESS_MS = 5_000

/**
 * Checks that bets were public in time, and the plan before them. The times of entries are the house's own, so
 * this takes the reader's clock.
 */
export function verifyInTime(round: LoggedRound, bets: LoggedEntry, shown: EntrySighting): Check[] {
  const shownRoot = checkShownRoot(round, bets)
  // A plan is late where the log was down. Nobody could bet then, so nothing could be gained.
  if (bets.entry['betCount'] === 0) return shownRoot
  const { betsCloseAt } = planOf(round.plan)
  const planned = round.absentAt === null ? [] : [checkPlanned(betsCloseAt, round.absentAt)]
  const late = lateBets(round, shown)
  if (!late) return [...planned, ...shownRoot]
  const { publishedAt, absentAt } = late
  const claim = `its bets were public before its beacon, at ${isoTime(publishedAt)}, not only after ${isoTime(absentAt)} by your clock`
  return [...planned, ...shownRoot, { claim, holds: late.mayBeHonest }]
}

/** Checks that bets were logged as the table showed them while the log was late. */
function checkShownRoot({ table }: LoggedRound, { entry }: LoggedEntry): Check[] {
  if (!table?.root) return []
  const { betsRoot, betCount, at } = table.root
  const claim = `its bets were logged with the root that the table showed at ${isoTime(at)} by your clock`
  return [{ claim, holds: entry['betsRoot'] === betsRoot && entry['betCount'] === betCount }]
}

/** Returns a notice of late bets, unless they prove a breach; null if they came in time. */
export function noticeOfLateBets(
  round: LoggedRound,
  bets: LoggedEntry,
  shown: EntrySighting,
): string | null {
  const late = bets.entry['betCount'] === 0 ? null : lateBets(round, shown)
  if (!late?.mayBeHonest) return null
  const { publishedAt, absentAt } = late
  const came = `The bets of round ${round.plan.entry.id} came late: the log did not have them at ${isoTime(absentAt)} by your clock, but its beacon was published at ${isoTime(publishedAt)}.`
  const { root } = round.table ?? {}
  if (root && root.at < publishedAt + LATENESS_MS) {
    return `${came} The table showed you the same root at ${isoTime(root.at)}, so only the log was slow. Ask the house why.`
  }
  return `${came} An outage or a wrong clock can cause this. If it happens often, don't trust the rounds.`
}

/**
 * Returns whether the reader saw the root over some bets only after their beacon, although neither log nor table was
 * seen without it then. The log did not answer meanwhile, or nobody read it, so bets could have been added.
 */
export function isUnseenInTime(
  { plan, table }: LoggedRound,
  bets: LoggedEntry,
  { absentAt, wasSilent = false, readAt }: EntrySighting,
): boolean {
  const { pepperSource } = planOf(plan)
  // Nobody watched at the time of bets that were logged before the first contact.
  if (bets.entry['betCount'] === 0 || absentAt === null || pepperSource.kind === 'committed')
    return false
  const publishedAt = beaconPublishedAt(pepperSource.round)
  if (absentAt >= publishedAt) return false
  const isShown = table?.root && table.root.at < publishedAt + LATENESS_MS
  return !isShown && readAt >= publishedAt + (wasSilent ? 0 : LATENESS_MS)
}

/** @param rounds the numbers of the rounds, at least one */
export function noticeOfUnseenBets(rounds: readonly number[]): string {
  const [first] = rounds
  const which =
    rounds.length === 1
      ? `round ${first}`
      : `${rounds.length} rounds, from ${first} to ${rounds.at(-1)},`
  return `You first saw the bets of ${which} after their beacon: the log did not answer before, or was not watched. So bets could have been added once the outcome was known. If the log is often silent when bets close, don't trust the rounds.`
}

/**
 * Bets that the reader saw too late in the log; null if they came in time. An honest house whose log takes no
 * entries still shows the root at the table. So only a table that answered without it, too, proves a breach.
 */
function lateBets(
  { plan, table }: LoggedRound,
  { absentAt, answeredSince }: EntrySighting,
): { publishedAt: number; absentAt: number; mayBeHonest: boolean } | null {
  const { betsCloseAt, pepperSource } = planOf(plan)
  // A committed pepper has no time of its own.
  if (absentAt === null || pepperSource.kind === 'committed') return null
  const publishedAt = beaconPublishedAt(pepperSource.round)
  if (absentAt < publishedAt) return null
  // After an outage, deliveries that failed are repeated after some minutes.
  const wasBroken = answeredSince === null || answeredSince > betsCloseAt
  const wasWithheld = [absentAt, table?.absentAt ?? -Infinity].every(
    (at) => at >= publishedAt + LATENESS_MS,
  )
  return { publishedAt, absentAt, mayBeHonest: wasBroken || !wasWithheld }
}

function checkPlanned(betsCloseAt: number, absentAt: number): Check {
  const claim = `its plan was public before its bets closed at ${isoTime(betsCloseAt)}, not only after ${isoTime(absentAt)} by your clock`
  return { claim, holds: absentAt < betsCloseAt + LATENESS_MS }
}

/**
 * Checks an ended round's entries in the log, and that it was disclosed as it was logged: the house may answer each
 * caller differently.
 */
export function verifyAsLogged(logged: RoundInLog, whole: WholeRound): Check[] {
  const { plan, bets, result } = logged
  const isPlanned = whole.plan
    ? canonicalJson(planEntry(whole.plan)) === canonicalJson(plan.entry)
    : whole.betCount === 0
  return [
    ...verifyLogged(logged),
    { claim: 'its plan is the logged one', holds: isPlanned && isOfPlan(whole, plan) },
    { claim: 'its bets are those whose root was logged', holds: isOfBets(whole, bets) },
    { claim: 'its end is the logged one', holds: result !== null && isOfResult(whole, result) },
  ]
}

/** Checks an ended round's disclosure against the log, and everything that follows from it. */
export function verifyDisclosed(logged: LoggedRound, whole: WholeRound): Check[] {
  return [...verifyAsLogged(logged, whole), ...verifyBets(whole), ...verifyEnd(whole)]
}

function isOfPlan(whole: WholeRound, plan: LoggedEntry): boolean {
  const { entry } = plan
  return (
    entry.id === String(whole.roundId) &&
    entry.at === whole.openedAt &&
    sameFields(entry, whole, ['seedHash', 'betsCloseAt', 'edgeBps']) &&
    sourceText(planOf(plan).pepperSource) === sourceText(whole.pepperSource)
  )
}

function isOfBets(whole: WholeRound, bets: LoggedEntry | null): boolean {
  return bets !== null && sameFields(bets.entry, whole, ['betsRoot', 'betCount'])
}

function isOfResult(whole: WholeRound, result: LoggedEntry): boolean {
  const { kind, at, seed, reason } = resultOf(result)
  if (seed !== whole.seed || at !== whole.endedAt) return false
  if (kind === 'void') return whole.crash === null && reason === whole.reason
  return sameFields(resultOf(result), whole, ['crash', 'takeoffAt', 'pepper', 'signature'])
}

function planOf({ entry }: LoggedEntry): Plan {
  return entry as unknown as Plan
}

function resultOf({ entry }: LoggedEntry): Result {
  return entry as unknown as Result
}
