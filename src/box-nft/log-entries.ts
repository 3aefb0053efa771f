import type { LogEntry } from '../transparency/entry.ts'

/** The public log's entries of batches of boxes. The chain has the same facts; the log adds when they were seen. */

/** A batch that was opened. @param at when the service saw it, in unix milliseconds */
export function batchOpenEntry(batch: number, pepperHash: string, at: number): LogEntry {
  return { kind: 'batch', id: `${batch}:open`, at, pepperHash }
}

/** A batch whose pepper was published. */
export function batchClosedEntry(batch: number, pepper: string, at: number): LogEntry {
  return { kind: 'batch', id: `${batch}:closed`, at, pepper }
}
