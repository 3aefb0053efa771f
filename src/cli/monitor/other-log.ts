import { openCheckpoint } from '../../transparency/checkpoint.ts'
import { parseEntry, type LogEntry } from '../../transparency/entry.ts'
import {
  parseVerifierKey,
  SIGNATURE_TYPE,
  writeVerifierKey,
  type VerifierKey,
} from '../../transparency/note.ts'
import { LogUnavailable, type LogReader } from './log-reader.ts'

/** The log that a site shows in place of the expected one. */
export interface OtherLog {
  key: VerifierKey
  /** Its checkpoint, signed. */
  checkpoint: string
  /** Its first entry; null if it has none that can be read. */
  first: LogEntry | null
}

/**
 * Returns the log that a site shows if a checkpoint is signed with the key that the site shows now, and that is
 * another one than expected; null if not.
 * @param checkpoint one that must not be believed under the expected key
 */
export async function otherLog(
  reader: LogReader,
  checkpoint: string,
  expected: VerifierKey,
): Promise<OtherLog | null> {
  try {
    const key = parseVerifierKey((await reader.text('key')).trim())
    if (key?.type !== SIGNATURE_TYPE.log) return null
    if (writeVerifierKey(key) === writeVerifierKey(expected)) return null
    const opened = openCheckpoint(checkpoint, key)
    return opened && { key, checkpoint, first: await firstOf(reader.of(key), opened.size) }
  } catch (fault) {
    if (fault instanceof LogUnavailable) return null
    throw fault
  }
}

async function firstOf(reader: LogReader, size: number): Promise<LogEntry | null> {
  for await (const bytes of reader.entries(0, Math.min(size, 1))) return parseEntry(bytes)
  return null
}
