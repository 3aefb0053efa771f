import type { WholeRound } from '../../crash/disclosure.ts'
import type { Logged, LogKind } from '../../transparency/entry.ts'
import type { RoundInLog } from '../../verify/logged-round.ts'
import { LogUnavailable } from '../monitor/log-reader.ts'
import { CommandError } from '../shared/terminal.ts'
import { LogBroken, SiteLog } from './site-log.ts'

/** A round's end is logged within this time, in milliseconds, even after an outage. */
const LOGGED_WITHIN_MS = 900_000

/** @throws CommandError if the log does not have it */
export async function entryOf(log: SiteLog, kind: LogKind, id: string): Promise<Logged> {
  const logged = await log.find(kind, id)
  if (logged) return logged
  throw new CommandError(`the public log has no ${kind} ${id}`)
}

/** Returns what the log has of an ended round. @throws CommandError if it lacks the bets or the end */
export async function loggedRound(log: SiteLog, plan: Logged): Promise<RoundInLog> {
  const { id, at } = plan.entry
  const bets = await entryOf(log, 'bets', id)
  // Neither is older than the plan.
  const result = (await log.find('end', id, at)) ?? (await log.find('void', id, at))
  if (result) return { plan, bets, result }
  throw new CommandError(`the public log has no end of round ${id}`)
}

/**
 * Loads what a site's public log has of a disclosed round.
 * @param now in unix milliseconds, by this machine's clock
 * @returns `why` it can't be compared; null if it can, or if the site keeps no log
 * @throws CommandError if the log lacks a round that it must have, or can't be believed
 */
export async function loadRoundInLog(
  site: URL,
  { roundId, openedAt, endedAt }: WholeRound,
  now: number,
): Promise<{ logged: RoundInLog | null; why: string | null }> {
  const uncompared = (why: string | null) => ({ logged: null, why })
  try {
    const log = await SiteLog.open(site, null)
    if (!log) return uncompared(null)
    const predecessor = await log.predecessor()
    if (predecessor && openedAt < predecessor.at) {
      return uncompared(`${log.key.name} began later, and succeeds ${predecessor.name}`)
    }
    const plan = await entryOf(log, 'plan', String(roundId))
    return { logged: await loggedRound(log, plan), why: null }
  } catch (fault) {
    if (fault instanceof LogUnavailable) return uncompared(fault.message)
    if (fault instanceof LogBroken) {
      throw new CommandError(`The public log can't be believed: ${fault.message}.`)
    }
    if (!(fault instanceof CommandError)) throw fault
    if (now < endedAt + LOGGED_WITHIN_MS) return uncompared(fault.message)
    throw new CommandError(`Round ${roundId} is disclosed, but ${fault.message}.`)
  }
}
