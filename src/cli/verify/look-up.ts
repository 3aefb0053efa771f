import type { VerifierKey } from '../../transparency/note.ts'
import { LogUnavailable } from '../monitor/log-reader.ts'
import { CommandError } from '../shared/terminal.ts'
import type { Uncompared } from './logged-round.ts'
import { LogBroken, noLog, SiteLog } from './site-log.ts'

/**
 * Looks something up in a site's public log. Returns why nothing was compared if the site keeps none, if it does not
 * answer, or if the search returns a reason.
 * @param pinned the log's verifier key, from elsewhere; null for the one that the site shows
 * @throws CommandError if the log can't be believed
 */
export async function lookUp<T extends object>(
  site: URL,
  pinned: VerifierKey | null,
  search: (log: SiteLog) => Promise<T | Uncompared>,
): Promise<T | Uncompared> {
  try {
    const log = await SiteLog.open(site, pinned)
    return log ? await search(log) : { why: noLog(site), isUnreached: false }
  } catch (fault) {
    if (fault instanceof LogUnavailable) return { why: fault.message, isUnreached: true }
    if (!(fault instanceof LogBroken)) throw fault
    throw new CommandError(`The public log can't be believed: ${fault.message}.`)
  }
}
