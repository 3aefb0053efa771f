import type { WholeRound } from '../../crash/disclosure.ts'
import type { LoggedEntry, LogKind } from '../../transparency/entry.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import type { Predecessor } from '../../transparency/predecessor.ts'
import { isPlannedBefore, LATENESS_MS, type RoundInLog } from '../../verify/logged-round.ts'
import { LogUnavailable } from '../monitor/log-reader.ts'
import { CommandError } from '../shared/terminal.ts'
import { LogBroken, noLog, SiteLog } from './site-log.ts'

/** A round has ended this long after its close, after the flight or the wait for a pepper. In milliseconds. */
export const LONGEST_FLIGHT_MS = 900_000

/** A round's end is logged within this time, in milliseconds, even after an outage. */
const END_LOGGED_WITHIN_MS = 900_000

/** The log lacks an entry, which may only be late. */
export class NotLogged extends CommandError {
  override name = 'NotLogged'
}

/** @throws NotLogged if the log does not have it */
export async function entryOf(log: SiteLog, kind: LogKind, id: string): Promise<LoggedEntry> {
  const logged = await log.find(kind, id)
  if (logged) return logged
  throw new NotLogged(`the public log has no ${kind} ${id}`)
}

/** Returns the log's entries on an ended round. @throws NotLogged if it lacks the bets or the end */
export async function loggedRound(log: SiteLog, plan: LoggedEntry): Promise<RoundInLog> {
  const { id, at } = plan.entry
  const bets = await entryOf(log, 'bets', id)
  // Neither is older than the plan.
  const result = (await log.find('end', id, at)) ?? (await log.find('void', id, at))
  if (result) return { plan, bets, result }
  throw new NotLogged(`the public log has no end of round ${id}`)
}

/** Why a result was not compared with a public log, or with the chain. */
export interface Uncompared {
  why: string
  /** Whether trying later may help. */
  isUnreached: boolean
}

/** A public log's entries on a round; otherwise the reason why nothing was compared. */
type LoggedOrNot =
  | { logged: RoundInLog; uncompared: null }
  | { logged: null; uncompared: Uncompared }

/**
 * Loads a site's public log entries on a disclosed round.
 * @param pinned the log's verifier key, from elsewhere; null for the one that the site shows
 * @param now in unix milliseconds, by this machine's clock
 * @throws CommandError if the log lacks a round that it must have, or can't be believed
 */
export async function loadRoundInLog(
  site: URL,
  round: WholeRound,
  { pinned, now }: { pinned: VerifierKey | null; now: number },
): Promise<LoggedOrNot> {
  const { roundId, betsCloseAt, endedAt } = round
  if (endedAt > now + LATENESS_MS) {
    throw new CommandError(
      `Round ${roundId} is disclosed, but by this machine's clock it has not ended. Check the clock.`,
    )
  }
  const without = (why: string, isUnreached = true): LoggedOrNot => ({
    logged: null,
    uncompared: { why, isUnreached },
  })
  try {
    const log = await SiteLog.open(site, pinned)
    if (!log) return without(noLog(site), false)
    const predecessor = await log.predecessor(now)
    const isPlanned = (await log.find('plan', String(roundId))) !== null
    if (!isPlanned && predecessor && (await isOfPredecessor(log, predecessor, round))) {
      const why = `${log.key.name} began later, and succeeds ${predecessor.name}: ask the house what is left of that log.`
      return without(why, false)
    }
    const plan = await entryOf(log, 'plan', String(roundId))
    return { logged: await loggedRound(log, plan), uncompared: null }
  } catch (fault) {
    if (fault instanceof LogUnavailable) return without(fault.message)
    if (fault instanceof LogBroken) {
      throw new CommandError(`The public log can't be believed: ${fault.message}.`)
    }
    if (!(fault instanceof CommandError)) throw fault
    // The house says when it ended, so a later end must not extend the wait.
    const loggedBy = Math.min(endedAt, betsCloseAt + LONGEST_FLIGHT_MS) + END_LOGGED_WITHIN_MS
    if (now < loggedBy) return without(`Not yet: ${fault.message}.`, false)
    throw new CommandError(`Round ${roundId} is disclosed, but ${fault.message}.`)
  }
}

/** Returns whether a round was planned in the log that this one succeeds. */
async function isOfPredecessor(
  log: SiteLog,
  { at }: Predecessor,
  round: WholeRound,
): Promise<boolean> {
  // All of the log is read for its first plan.
  if (!isPlannedBefore(round, at, null)) return false
  const first = await log.oldest('plan')
  return isPlannedBefore(round, at, first && Number(first.entry.id))
}
