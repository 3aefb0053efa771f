import { canonicalJson } from '../core/canonical-json.ts'
import { sha256Hex } from '../core/sha256.ts'
import type { Act } from './act.ts'
import type { Role } from './roles.ts'

/** An operator's signature of an act, as the journal keeps it. */
export interface Approval {
  /** In EIP-55 form. */
  operator: string
  /** Their role at the time. */
  role: Role
  /** In unix milliseconds. */
  at: number
}

/** An approval in the operators' journal. Each entry commits to the one before it, and none ever changes. */
export interface OperatorJournalEntry extends Approval {
  /** From 1. */
  number: number
  act: Act
  /** The EIP-712 hash of the act, which the operator signed. */
  actHash: string
  signature: string
  prevHash: string
  hash: string
}

/** The hash before the first entry. */
const NO_ENTRY_HASH = '0'.repeat(64)

/** Returns the entry of an approval. @param previous null before the first */
export function nextEntry(
  previous: Pick<OperatorJournalEntry, 'number' | 'hash'> | null,
  content: Omit<OperatorJournalEntry, 'number' | 'prevHash' | 'hash'>,
): OperatorJournalEntry {
  const entry = {
    ...content,
    number: (previous?.number ?? 0) + 1,
    prevHash: previous?.hash ?? NO_ENTRY_HASH,
  }
  return { ...entry, hash: entryHash(entry) }
}

/** Returns whether an entry follows from the one before it; null before the first. */
export function isNextEntry(
  previous: OperatorJournalEntry | null,
  entry: OperatorJournalEntry,
): boolean {
  return (
    entry.number === (previous?.number ?? 0) + 1 &&
    entry.prevHash === (previous?.hash ?? NO_ENTRY_HASH) &&
    entry.hash === entryHash(entry)
  )
}

/** Returns the sha256 of the canonical JSON of an entry without its hash. */
function entryHash(entry: Omit<OperatorJournalEntry, 'hash'>): string {
  const { number, at, operator, role, act, actHash, signature, prevHash } = entry
  const text = canonicalJson({ number, at, operator, role, act, actHash, signature, prevHash })
  return sha256Hex(text)
}
