import { parseCheckpoint } from './checkpoint.ts'
import type { LogEntry } from './entry.ts'
import { parseNote } from './note.ts'

/**
 * Returns the first entry of a log that succeeds another one of the site.
 * @param predecessor its name, which is the entry's id
 * @param checkpoint the last signed checkpoint of it that was kept outside of it; null if none was
 * @param at in unix milliseconds
 */
export function predecessorEntry(
  predecessor: string,
  checkpoint: string | null,
  at: number,
): LogEntry {
  return { kind: 'log', id: predecessor, at, checkpoint }
}

/** What the first entry of a succeeding log says of its predecessor. */
export interface Predecessor {
  name: string
  /** When the succeeding log began, in unix milliseconds. */
  at: number
  /** The number of entries of the checkpoint that it names; null if it names none. */
  size: number | null
}

/** Reads a log's first entry. Returns null if the log succeeds no other. */
export function predecessorOf({ kind, id, at, checkpoint }: LogEntry): Predecessor | null {
  if (kind !== 'log') return null
  const note = typeof checkpoint === 'string' ? parseNote(checkpoint) : null
  return { name: id, at, size: (note && parseCheckpoint(note.body)?.size) ?? null }
}
