import { LoggedHistory } from '../../audit/in-log.ts'
import { writeVerifierKey, type VerifierKey } from '../../transparency/note.ts'
import { CommandError } from '../shared/terminal.ts'
import { LogBroken, noLog, SiteLog, untilFresh } from '../verify/site-log.ts'

/** The entries of a site's public log, and the key that it is signed with. */
export interface AuditedLog {
  key: string
  history: LoggedHistory
}

/**
 * Reads the log of a site; null if it keeps none.
 * @param pinned its key, from elsewhere; null for the one that the site shows
 * @param newestDay the newest exported day. It was logged before it was listed, so a log without it is read again.
 * @throws CommandError if it does not answer, or its entries are not the signed ones
 */
export async function readAuditedLog(
  site: string,
  pinned: VerifierKey | null,
  newestDay: string,
): Promise<AuditedLog | null> {
  const read = await readLog(site, pinned)
  if (!read || read.history.hasManifest(newestDay)) return read
  await untilFresh()
  return readLog(site, pinned)
}

/**
 * Reads the log of a site that was asked for. Parameters as of {@link readAuditedLog}.
 * @throws CommandError if the site keeps none, does not answer, or its entries are not the signed ones
 */
export async function readRequiredLog(
  ...[site, pinned, newestDay]: Parameters<typeof readAuditedLog>
): Promise<AuditedLog> {
  const log = await readAuditedLog(site, pinned, newestDay)
  if (log) return log
  throw new CommandError(
    `${noLog(new URL(site))} To audit the export without one, leave out --log.`,
  )
}

async function readLog(site: string, pinned: VerifierKey | null): Promise<AuditedLog | null> {
  try {
    const log = await SiteLog.open(new URL(site), pinned)
    if (!log) return null
    const history = new LoggedHistory(Date.now())
    for await (const logged of log.entries()) history.take(logged)
    return { key: writeVerifierKey(log.key), history }
  } catch (fault) {
    if (!(fault instanceof LogBroken)) throw fault
    throw new CommandError(`The public log of ${site} can't be believed: ${fault.message}.`)
  }
}
