import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import type { LogEntry } from './entry.ts'
import { parseNote } from './note.ts'

/**
 * Returns the first entry of a log that succeeds another one of the site. Its id is the other one's name.
 * @param predecessor that name on the site's present host, which the checkpoint corrects after a change of domain
 * @param checkpoint the last signed checkpoint of it that was kept outside of it; null if none was
 * @param at in unix milliseconds
 */
export function predecessorEntry(
  predecessor: string,
  checkpoint: string | null,
  at: number,
): LogEntry {
  return { kind: 'log', id: checkpointIn(checkpoint)?.origin ?? predecessor, at, checkpoint }
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
  return { name: id, at, size: checkpointIn(checkpoint)?.size ?? null }
}

function checkpointIn(text: unknown): Checkpoint | null {
  const note = typeof text === 'string' ? parseNote(text) : null
  return note && parseCheckpoint(note.body)
}
