import { isOwnMachine } from '../../core/own-machine.ts'
import { isoTime, MINUTE_MS } from '../../core/utc-day.ts'
import { counted } from '../../core/words.ts'
import { MAX_COUNT_MS } from '../../solvency/age.ts'
import type { Statement } from '../../solvency/statement.ts'
import type { LoggedEntry } from '../../transparency/entry.ts'
import { writeVerifierKey, type VerifierKey } from '../../transparency/note.ts'
import type { LoggedStatement } from '../../verify/solvency.ts'
import { say } from '../shared/terminal.ts'
import { LogBroken, noLog, SiteLog, untilFresh } from './site-log.ts'

/** A count is published and logged when it is complete, and logged again if that fails. */
const COUNT_LOGGED_WITHIN_MS = MAX_COUNT_MS + 5 * MINUTE_MS

/** Entries this much older than a count were appended before it. */
const OLDER_MS = 3_600_000

/**
 * Finds a site's public log entry on a count. Prints which key its checkpoint is verified with.
 * @param pinned the log's verifier key, from elsewhere; null for the one that the site shows
 * @returns null for a site without a log
 * @throws LogUnavailable
 */
export async function readLogged(
  site: URL,
  { epoch, at }: Statement,
  pinned: VerifierKey | null,
): Promise<LoggedStatement | null> {
  try {
    let log = await SiteLog.open(site, pinned)
    if (!log) {
      say(noLog(site), 'yellow')
      return null
    }
    if (!pinned) {
      say(SHOWN_KEY)
      say(`  ${writeVerifierKey(log.key)}`)
    }
    let found = await log.find('solvency', String(epoch), at - OLDER_MS)
    const predecessor = found ? null : await log.predecessor(Date.now())
    if (predecessor && at < predecessor.at) {
      return nothingIn(`${log.key.name} began later; look again after the next count`)
    }
    const isAwaited = Date.now() < at + COUNT_LOGGED_WITHIN_MS
    if (!found && isAwaited) {
      await untilFresh()
      log = (await SiteLog.open(site, log.key)) ?? log
      found = await log.find('solvency', String(epoch), at - OLDER_MS)
    }
    const newest = await log.newest('solvency', at - OLDER_MS)
    // A count is logged before the next one.
    const isPassed = newest !== null && Number(newest.entry.id) > epoch
    // The house dates entries, so no time ends this search.
    const previous = found && (await log.find('solvency', String(epoch - 1)))
    const isFirst = !found || (await isFirstCount(log, found, previous))
    if (found) say(seenOf(log))
    return {
      entry: found?.entry ?? null,
      awaitedUntil: !found && isAwaited && !isPassed ? at + COUNT_LOGGED_WITHIN_MS : null,
      newest: newest && Number(newest.entry.id),
      isPreviousMissing: !previous && !isFirst,
      // In local play, anybody may have the debts counted.
      previousAt: previous && !isOwnMachine(site.hostname) ? previous.entry.at : null,
      fault: null,
    }
  } catch (fault) {
    if (fault instanceof LogBroken) return nothingIn(fault.message)
    throw fault
  }
}

/** Returns whether the log begins with a count. The one before it may be in a log that this one succeeds. */
async function isFirstCount(
  log: SiteLog,
  { index }: LoggedEntry,
  previous: LoggedEntry | null,
): Promise<boolean> {
  return !previous && (await log.oldest('solvency'))?.index === index
}

function nothingIn(fault: string): LoggedStatement {
  const none = { entry: null, awaitedUntil: null, newest: null, previousAt: null }
  return { ...none, isPreviousMissing: false, fault }
}

/** An idle table logs nothing between two counts, so only the player can tell whether the log is too old. */
function seenOf({ size, newestAt }: SiteLog): string {
  return `The log that you see has ${counted(size, 'entry', 'entries')}, the newest of ${isoTime(newestAt)}. A table that plays logs each round within minutes: an older log could hide a newer count.`
}

const SHOWN_KEY =
  "The log's key is the one that the site shows now; compare it with others, or add --log-key:"
