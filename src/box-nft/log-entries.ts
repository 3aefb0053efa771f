import type { LogEntry } from '../transparency/entry.ts'

/** The public log's entries of batches of boxes. The chain has the same facts; the log adds when they were seen. */

/**
 * A batch that was opened.
 * @param id its number, or its {@link batchId} if the log has that number of another contract
 * @param at when the service saw it, in unix milliseconds
 */
export function batchOpenEntry(id: number | string, pepperHash: string, at: number): LogEntry {
  return { kind: 'batch', id: openEntryId(id), at, pepperHash }
}

/** A batch whose pepper was published. @param id as when it was opened */
export function batchClosedEntry(id: number | string, pepper: string, at: number): LogEntry {
  return { kind: 'batch', id: closedEntryId(id), at, pepper }
}

/** Returns the id of the entry with the hash of a batch's pepper. */
export function openEntryId(id: number | string): string {
  return `${id}:open`
}

/** Returns the id of the entry with a batch's pepper. */
export function closedEntryId(id: number | string): string {
  return `${id}:closed`
}

/** Returns how the ids of a batch begin if the log has its number of another contract. */
export function batchId(of: { chainId: number; contract: string; batch: number }): string {
  return `${contractId(of)}:${of.batch}`
}

/** Returns how a contract is named in such ids. */
export function contractId(of: { chainId: number; contract: string }): string {
  return `${of.chainId}:${of.contract.toLowerCase()}`
}

/** Returns whether an id is that of an entry with the hash of a batch's pepper under the batch's number. */
export function isNumbered(id: string): boolean {
  return /^\d+:open$/.test(id)
}

/**
 * Returns the contract that the id of a batch's entry names, and the id under which the log has the pepper hash of that
 * number; null if it names none.
 */
export function contractIn(id: string): { contract: string; numberedId: string } | null {
  const [, contract, batch] = /^(\d+:0x[0-9a-f]{40}):(\d+):(?:open|closed)$/.exec(id) ?? []
  return contract && batch ? { contract, numberedId: openEntryId(batch) } : null
}
