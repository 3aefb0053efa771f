import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'
import type { Token } from '../money/token.ts'
import {
  assertSound,
  emptyBalances,
  post,
  type Account,
  type Balances,
  type Posting,
} from './accounts.ts'

/** One operation in the journal: its request, postings and answer. */
export interface JournalEntry {
  /** 1, 2, 3, … without gaps. */
  seq: number
  operationId: string
  /** The request's canonical text; reusing the id with another text is a conflict. */
  request: string
  /** Empty if the operation moved nothing. */
  postings: Posting[]
  /** The stored answer, as JSON text. */
  result: string
  at: number
  /** The sha256 of the packed head, in hex. The head itself is secret. */
  headDigest: string
  previousHash: string
  hash: string
}

type PostingTuple = [token: Token, from: Account, to: Account, amountWei: string]

/** The hash before the first entry. */
export const GENESIS_HASH = '0'.repeat(64)

/** Returns the sha256 of an entry's contents and the previous entry's hash, in hex. */
export function entryHash(entry: Omit<JournalEntry, 'hash'>): string {
  const { seq, operationId, request, postings, result, at, headDigest, previousHash } = entry
  const text = JSON.stringify([
    seq,
    operationId,
    request,
    tuplesOf(postings),
    result,
    at,
    headDigest,
    previousHash,
  ])
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** Returns postings without the names of their fields, which every entry would repeat. */
export function tuplesOf(postings: readonly Posting[]): PostingTuple[] {
  return postings.map(({ token, from, to, amountWei }) => [token, from, to, amountWei])
}

/** Reverses {@link tuplesOf}. */
export function postingsOfTuples(tuples: readonly PostingTuple[]): Posting[] {
  return tuples.map(([token, from, to, amountWei]) => ({ token, from, to, amountWei }))
}

/** The result of replaying a journal: its balances, or the first invalid entry and its problem. */
export type Replay =
  | { ok: true; balances: Balances; entries: number; headHash: string }
  | { ok: false; seq: number; problem: string }

/** Rebuilds all balances from the journal, and checks each link of the hash chain. */
export function replay(entries: Iterable<JournalEntry>): Replay {
  let balances = emptyBalances()
  let seq = 0
  let headHash = GENESIS_HASH
  for (const entry of entries) {
    seq++
    try {
      invariant(entry.seq === seq, `entry ${seq} is missing`)
      invariant(entry.previousHash === headHash, 'the hash chain is broken')
      invariant(entryHash(entry) === entry.hash, 'the entry was altered')
      balances = post(balances, entry.postings)
    } catch (fault) {
      const problem = fault instanceof Error ? fault.message : 'unsound postings'
      return { ok: false, seq, problem }
    }
    headHash = entry.hash
  }
  assertSound(balances)
  return { ok: true, balances, entries: seq, headHash }
}
