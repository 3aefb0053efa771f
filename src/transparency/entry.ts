import { canonicalJson, type Json } from '../core/canonical-json.ts'
import { invariant } from '../core/invariant.ts'
import { utf8 } from '../core/utf8.ts'

/** The kinds of commitments in the house's public log; see reference/decisions/0032-the-public-log.md. */
export const KINDS = [
  'plan',
  'bets',
  'end',
  'void',
  'seeds',
  'batch',
  'terms',
  'key',
  'solvency',
  'export',
  'log',
  'control',
] as const satisfies string[]

export type LogKind =
  | 'plan'
  | 'bets'
  | 'end'
  | 'void'
  | 'seeds'
  | 'batch'
  | 'terms'
  | 'key'
  | 'solvency'
  | 'export'
  | 'log'
  | 'control'

/** An entry of the public log, unique by kind and id. */
export interface LogEntry {
  kind: LogKind
  id: string
  /** When it was made, in unix milliseconds. */
  at: number
  [field: string]: Json
}

/** An entry and its place in the log. */
export interface LoggedEntry {
  index: number
  entry: LogEntry
}

/** The longest entry that a bundle can hold, in bytes of its canonical JSON. */
export const MAX_ENTRY_BYTES = 65_535

const MAX_ID_CHARS = 128

/**
 * Writes an entry as it is stored and hashed, in canonical JSON.
 * @throws if it is not a valid entry: only the house's own code writes entries
 */
export function entryText(entry: LogEntry): string {
  const text = canonicalJson(entry)
  invariant(isLogEntry(entry), 'an entry of the log has a kind, an id and a time')
  invariant(utf8(text).length <= MAX_ENTRY_BYTES, 'an entry of the log fits into a bundle')
  return text
}

/** Parses an entry. Returns null for anything but the canonical JSON of a valid entry. */
export function parseEntry(bytes: Uint8Array): LogEntry | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value = JSON.parse(text) as Json
    return isLogEntry(value) && canonicalJson(value) === text ? value : null
  } catch {
    return null
  }
}

function isLogEntry(value: Json): value is LogEntry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { kind, id, at } = value as Partial<LogEntry>
  const isTime = Number.isSafeInteger(at) && Number(at) >= 0
  const isNamed = typeof id === 'string' && id.length >= 1 && id.length <= MAX_ID_CHARS
  return (KINDS as readonly unknown[]).includes(kind) && isNamed && isTime
}

/** Returns whether two entries say the same. */
export function isSameEntry(some: LogEntry, other: LogEntry): boolean {
  return canonicalJson(some) === canonicalJson(other)
}
