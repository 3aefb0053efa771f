import { styleText } from 'node:util'
import type { Statement } from '../../solvency/statement.ts'
import { parseVerifierKey, SIGNATURE_TYPE, type VerifierKey } from '../../transparency/note.ts'
import type { LoggedStatement } from '../../verify/solvency.ts'
import { findEntry } from '../monitor/find-entry.ts'
import { LogReader, NoLog } from '../monitor/log-reader.ts'
import { CommandError } from '../shared/terminal.ts'

/** Entries this much older than a count were appended before it. */
const OLDER_MS = 3_600_000

/**
 * Finds what a site's public log says about a count. Prints which key its checkpoint is verified with.
 * @param logKey the log's verifier key, from elsewhere; without it the one that the site shows is used
 * @returns null for a site without a log
 * @throws CommandError if the log does not answer, or a key is given and there is no log
 */
export async function readLogged(
  site: URL,
  { epoch, at }: Statement,
  logKey?: string,
): Promise<LoggedStatement | null> {
  const given = logKey === undefined ? null : parseKey(logKey, '--log-key must be a verifier key.')
  const reader = new LogReader(site)
  try {
    const key = given ?? (await shownKey(reader))
    return await findEntry(reader, key, {
      ...{ kind: 'solvency', id: String(epoch), notBefore: at - OLDER_MS },
    })
  } catch (fault) {
    if (!(fault instanceof NoLog)) throw fault
    if (given) throw new CommandError(`${fault.message} But you gave the key of one.`)
    const warning = `${fault.message} Nobody else can see the same statement: each player can be shown another one.`
    console.log(styleText('yellow', warning))
    return null
  }
}

async function shownKey(reader: LogReader): Promise<VerifierKey> {
  const text = (await reader.text('key')).trim()
  const key = parseKey(text, "The site shows no valid key. Give the log's key with --log-key.")
  console.log(
    `The log's key is the one that the site shows now; compare it with others, or add --log-key:\n  ${text}`,
  )
  return key
}

function parseKey(text: string, problem: string): VerifierKey {
  const key = parseVerifierKey(text)
  if (key?.type === SIGNATURE_TYPE.log) return key
  throw new CommandError(problem)
}
