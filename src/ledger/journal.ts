import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { assertSound, emptyBalances, post, type Balances, type Posting } from './accounts.ts'

/** One operation as the journal keeps it: what was asked, what moved, what was answered. */
export interface JournalEntry {
  /** 1, 2, 3, … without gaps. */
  seq: number
  operationId: string
  /** Canonical text of the request: the same id with another text is a conflict. */
  request: string
  /** Empty where the operation moved nothing. */
  postings: Posting[]
  /** Stored answer, as JSON text. */
  result: string
  at: number
  previousHash: string
  hash: string
}

/** The hash before the first entry. */
export const GENESIS_HASH = '0'.repeat(64)

/** sha256 over everything an entry says and the hash of the one before it. */
export function entryHash(entry: Omit<JournalEntry, 'hash'>): string {
  const { seq, operationId, request, postings, result, at, previousHash } = entry
  const text = JSON.stringify([
    seq,
    operationId,
    request,
    postings.map(({ token, from, to, amountWei }) => [token, from, to, amountWei]),
    result,
    at,
    previousHash,
  ])
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** A journal that rebuilds, or the first entry that does not fit and why. */
export type Replay =
  | { ok: true; balances: Balances; entries: number; headHash: string }
  | { ok: false; seq: number; problem: string }

/** Rebuilds every balance from the journal, checking each link of the chain. */
export function replay(entries: Iterable<JournalEntry>): Replay {
  let balances = emptyBalances()
  let seq = 0
  let headHash = GENESIS_HASH
  for (const entry of entries) {
    seq++
    if (entry.seq !== seq) return { ok: false, seq, problem: `entry ${seq} is missing` }
    if (entry.previousHash !== headHash) return { ok: false, seq, problem: 'the chain is broken' }
    if (entryHash(entry) !== entry.hash) return { ok: false, seq, problem: 'the entry was altered' }
    try {
      balances = post(balances, entry.postings)
    } catch (fault) {
      return {
        ok: false,
        seq,
        problem: fault instanceof Error ? fault.message : 'unsound postings',
      }
    }
    headHash = entry.hash
  }
  assertSound(balances)
  return { ok: true, balances, entries: seq, headHash }
}
