import type { LogEntry } from '../transparency/entry.ts'
import type { PublishedKey } from './key.ts'
import type { TermsOfPlay } from './terms.ts'

/** Returns the public log's entry of some terms of play. @param hash its id */
export function termsEntry(terms: TermsOfPlay, hash: string, at: number): LogEntry {
  return { kind: 'terms', id: hash, at, terms: toJson(terms) }
}

/** Returns the public log's entry of a key of receipts. Its id is the key's thumbprint. */
export function keyEntry(key: PublishedKey, at: number): LogEntry {
  // The end of a key's time comes later, and an entry is final.
  const { exp: _, ...lasting } = key
  return { kind: 'key', id: key.kid, at, key: lasting }
}

/** Returns plain data as the log's canonical JSON takes it, without members that are undefined. */
function toJson(value: object): LogEntry[string] {
  return JSON.parse(JSON.stringify(value)) as LogEntry[string]
}
