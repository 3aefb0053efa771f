import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import type { LogEntry } from './entry.ts'
import { parseNote } from './note.ts'

/**
 * Returns the first entry of a log that succeeds another one of the site. Its id is the other one's name.
 * @param predecessor the predecessor's name on the site's current host; after a change of domain, the name in the
 *   checkpoint counts instead
 * @param checkpoint the predecessor's last signed checkpoint kept elsewhere; null without one
 * @param at in unix milliseconds
 */
export function predecessorEntry(
  predecessor: string,
  checkpoint: string | null,
  at: number,
): LogEntry {
  return { kind: 'log', id: checkpointIn(checkpoint)?.origin ?? predecessor, at, checkpoint }
}

/** The facts about its predecessor in the first entry of a succeeding log. */
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
  return { name: id, at, size: checkpointIn(checkpoint)?.size ?? null }
}

function checkpointIn(text: unknown): Checkpoint | null {
  const note = typeof text === 'string' ? parseNote(text) : null
  return note && parseCheckpoint(note.body)
}
