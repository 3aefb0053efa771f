import { canonicalJson } from '../core/canonical-json.ts'
import { isoTime } from '../core/utc-day.ts'
import type { DisclosedRound, WholeRound } from '../crash/disclosure.ts'
import { planEntry } from '../crash/log-entries.ts'
import { PEPPER_TIMEOUT_MS } from '../crash/plan.ts'
import type { Check } from '../fairness/check.ts'
import { beaconPublishedAt } from '../fairness/drand.ts'
import type { PepperSource } from '../fairness/pepper.ts'
import { commits } from '../fairness/seed.ts'
import type { LogEntry, Logged } from '../transparency/entry.ts'
import { verifyRound, verifyVoid } from './round.ts'
import { verifyBets } from './whole-round.ts'

/** The entries of a round in the public log, as far as they are there. */
export interface LoggedRound {
  plan: Logged
  /** When the reader last saw the log without the plan, by their clock, in unix milliseconds; null if never. */
  absentAt: number | null
  bets: Logged | null
  /** Its `end` or `void`. */
  result: Logged | null
}

/** The fields of a plan that the checks need. */
interface Plan {
  at: number
  seedHash: string
  betsCloseAt: number
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
  betsRoot: string
  betCount: number
}

/** A plan for the far future would never have to be carried out. */
const LONGEST_BETTING_MS = 3_600_000

/** Checks what the log alone shows of a round: the order of its entries, their times, and the seed. */
export function verifyLogged({ plan, bets, result }: LoggedRound): Check[] {
  const { at, betsCloseAt, seedHash, pepperSource } = planOf(plan)
  return [
    {
      claim: `it was planned, at ${isoTime(at)}, before its bets closed at ${isoTime(betsCloseAt)}`,
      holds: at < betsCloseAt && betsCloseAt <= at + LONGEST_BETTING_MS,
    },
    ...(bets ? checkBets(plan, bets, pepperSource) : []),
    ...(result ? checkResult(plan, bets, result, seedHash) : []),
  ]
}

function checkBets(plan: Logged, bets: Logged, source: PepperSource): Check[] {
  const { at } = bets.entry
  const after = {
    claim: 'its bets were logged after its plan',
    holds: bets.index > plan.index && at >= planOf(plan).betsCloseAt,
  }
  if (source.kind === 'committed') return [after]
  const publishedAt = beaconPublishedAt(source.round)
  const claim = `its bets were logged, at ${isoTime(at)}, before its beacon was published at ${isoTime(publishedAt)}`
  return [after, { claim, holds: at < publishedAt }]
}

function checkResult(plan: Logged, bets: Logged | null, result: Logged, seedHash: string): Check[] {
  const { kind, at, seed, betsRoot, betCount } = resultOf(result)
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
    ...(kind === 'void' ? [checkVoidTime(at, planOf(plan))] : []),
  ]
}

function checkVoidTime(at: number, { betsCloseAt, voidAt }: Plan): Check {
  const claim = `it was voided, at ${isoTime(at)}, only after its deadline for the pepper at ${isoTime(voidAt)}`
  return { claim, holds: at >= voidAt && voidAt >= betsCloseAt + PEPPER_TIMEOUT_MS }
}

/** Checkpoints may be shown for a second in two places, and clocks differ. In milliseconds. */
export const LATENESS_MS = 5_000

/**
 * Checks that bets were public in time, and the plan before them. The times of entries are the house's own, so
 * this takes the reader's clock.
 * @param absentAt when the reader last asked for a checkpoint and got one without the bets, in unix milliseconds
 */
export function verifyInTime(round: LoggedRound, bets: Logged, absentAt: number | null): Check[] {
  // A plan is late where the log was down. Nobody could bet then, so nothing could be gained.
  if (bets.entry['betCount'] === 0) return []
  const { betsCloseAt, pepperSource } = planOf(round.plan)
  const planned = round.absentAt === null ? [] : [checkPlanned(betsCloseAt, round.absentAt)]
  // A committed pepper has no time of its own.
  if (absentAt === null || pepperSource.kind === 'committed') return planned
  const publishedAt = beaconPublishedAt(pepperSource.round)
  const claim = `its bets were public before its beacon, at ${isoTime(publishedAt)}, not only after ${isoTime(absentAt)} by your clock`
  return [...planned, { claim, holds: absentAt < publishedAt + LATENESS_MS }]
}

function checkPlanned(betsCloseAt: number, absentAt: number): Check {
  const claim = `its plan was public before its bets closed at ${isoTime(betsCloseAt)}, not only after ${isoTime(absentAt)} by your clock`
  return { claim, holds: absentAt < betsCloseAt + LATENESS_MS }
}

/** Checks an ended round's disclosure against the log, and everything that follows from it. */
export function verifyDisclosed({ plan, bets, result }: LoggedRound, whole: WholeRound): Check[] {
  const isPlanned = whole.plan
    ? canonicalJson(planEntry(whole.plan)) === canonicalJson(plan.entry)
    : whole.betCount === 0
  return [
    { claim: 'its plan is the logged one', holds: isPlanned && isOfPlan(whole, plan) },
    { claim: 'its bets are those whose root was logged', holds: isOfBets(whole, bets) },
    { claim: 'its end is the logged one', holds: result !== null && isOfResult(whole, result) },
    ...verifyBets(whole),
    ...(whole.crash === null
      ? verifyVoid({ ...whole, reason: whole.reason ?? '' })
      : verifyRound(settled(whole, whole.crash))),
  ]
}

function isOfPlan(whole: WholeRound, plan: Logged): boolean {
  const { seedHash, betsCloseAt, pepperSource, at } = planOf(plan)
  return (
    plan.entry.id === String(whole.roundId) &&
    seedHash === whole.seedHash &&
    betsCloseAt === whole.betsCloseAt &&
    at === whole.openedAt &&
    plan.entry['edgeBps'] === whole.edgeBps &&
    canonicalJson(pepperSource) === canonicalJson(whole.pepperSource)
  )
}

function isOfBets({ betsRoot, betCount }: WholeRound, bets: Logged | null): boolean {
  return bets?.entry['betsRoot'] === betsRoot && bets.entry['betCount'] === betCount
}

function isOfResult(whole: WholeRound, result: Logged): boolean {
  const { kind, seed, pepper, signature, crash } = resultOf(result)
  if (seed !== whole.seed) return false
  if (kind === 'void') return whole.crash === null
  return crash === whole.crash && pepper === whole.pepper && signature === whole.signature
}

function settled(whole: WholeRound, crash: number): DisclosedRound {
  const { pepper, signature, ...round } = whole
  return { ...round, crash, pepper: pepper ?? '', ...(signature !== null && { signature }) }
}

function planOf({ entry }: Logged): Plan {
  return entry as unknown as Plan
}

function resultOf({ entry }: Logged): Result {
  return entry as unknown as Result
}
