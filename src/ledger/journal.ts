import { invariant } from '../core/invariant.ts'
import { sha256Hex } from '../core/sha256.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../money/token.ts'
import {
  ACCOUNTS,
  assertSound,
  differenceOf,
  emptyBalances,
  owedTo,
  post,
  type Account,
  type Balances,
  type Posting,
} from './accounts.ts'
import type { Head } from './head.ts'
import { PackedReader, pushNumber } from './packing.ts'
import { addToTotals, differenceOfTotals, emptyTotals, type Totals } from './totals.ts'

/** One operation in the journal: its request, postings and answer. */
export interface JournalEntry {
  /** 1, 2, 3, … without gaps. */
  seq: number
  /** Of one of the kinds in `operation.ts`. */
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

/** An entry as its ledger stores it. It has the head, so it never leaves the object. */
export interface StoredEntry extends Omit<JournalEntry, 'headDigest' | 'previousHash'> {
  head: Uint8Array
}

/** Identifies an entry of a journal, and says when it was made. */
export interface EntryPlace {
  seq: number
  hash: string
  at: number
}

/** Where an operation stands in the journal. */
export interface EntryRef extends EntryPlace {
  /** The debt to the wallet after it, in smallest units. */
  owed: PerToken<string>
}

/**
 * The facts about an operation's entry for its receipt, and the hash of the terms of play that it was accepted under.
 */
export interface TakenPlace extends EntryPlace {
  terms: string
}

export type TakenRef = TakenPlace & EntryRef

/** An answer and where its operation stands in the journal. */
export type WithEntry<Answer, Ref extends EntryRef = EntryRef> = Answer & { entry: Ref }

type Balanced = Pick<Head, 'balances'>

/** Returns an operation's place and the debt to the wallet after it, without the rest of the entry. */
export function entryRef(entry: EntryPlace & (Balanced | { head: Balanced })): EntryRef {
  const { seq, hash, at } = entry
  const { balances } = 'head' in entry ? entry.head : entry
  return { seq, hash, at, owed: perToken((token) => owedTo(balances[token]).toString()) }
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
  return sha256Hex(text)
}

/** Returns postings without the names of their fields, which every entry would repeat. */
export function tuplesOf(postings: readonly Posting[]): PostingTuple[] {
  return postings.map(({ token, from, to, amountWei }) => [token, from, to, amountWei])
}

/** Reverses {@link tuplesOf}. */
export function postingsOfTuples(tuples: readonly PostingTuple[]): Posting[] {
  return tuples.map(([token, from, to, amountWei]) => ({ token, from, to, amountWei }))
}

/** Packs postings into bytes: for each its token, its two accounts and its amount. */
export function packPostings(postings: readonly Posting[]): Uint8Array {
  const bytes: number[] = []
  for (const { token, from, to, amountWei } of postings) {
    bytes.push(TOKENS.indexOf(token), ACCOUNTS.indexOf(from), ACCOUNTS.indexOf(to))
    pushNumber(bytes, BigInt(amountWei))
  }
  return Uint8Array.from(bytes)
}

/** Returns the postings that were packed. @throws InvariantError if the bytes are not packed postings */
export function unpackPostings(bytes: Uint8Array): Posting[] {
  const reader = new PackedReader(bytes)
  const postings: Posting[] = []
  while (!reader.isAtEnd) {
    const [token, from, to] = [
      TOKENS[reader.byte()],
      ACCOUNTS[reader.byte()],
      ACCOUNTS[reader.byte()],
    ]
    invariant(token && from && to, 'a posting has a known token and known accounts')
    postings.push({ token, from, to, amountWei: reader.number().toString() })
  }
  return postings
}

/** Links stored entries to the hash before them. */
export function* linked(
  entries: Iterable<StoredEntry>,
  previousHash: string,
): Generator<JournalEntry> {
  let link = previousHash
  for (const { head, ...entry } of entries) {
    yield { ...entry, headDigest: digestOf(head), previousHash: link }
    link = entry.hash
  }
}

/** Returns the sha256 of a packed head, in hex. */
export function digestOf(head: Uint8Array): string {
  return sha256Hex(head)
}

/** The state of a journal after an entry. */
export interface JournalState {
  /** The number of entries. */
  entries: number
  headHash: string
  balances: Balances
  totals: Totals
}

/** A journal before its first entry. */
const GENESIS: JournalState = {
  entries: 0,
  headHash: GENESIS_HASH,
  balances: emptyBalances(),
  totals: emptyTotals(),
}

/** The result of replaying a journal, or the first invalid entry and its problem. */
export type Replay = ({ ok: true } & JournalState) | { ok: false; seq: number; problem: string }

/**
 * Rebuilds all balances and totals from the entries that follow some others, and checks each link of the hash chain.
 */
export function replay(entries: Iterable<JournalEntry>, start: JournalState = GENESIS): Replay {
  let { balances, totals, entries: seq, headHash } = start
  for (const entry of entries) {
    seq++
    try {
      invariant(entry.seq === seq, `entry ${seq} is missing`)
      invariant(entry.previousHash === headHash, 'the hash chain is broken')
      invariant(entryHash(entry) === entry.hash, 'the entry was altered')
      balances = post(balances, entry.postings)
      totals = addToTotals(totals, entry)
    } catch (fault) {
      const problem = fault instanceof Error ? fault.message : 'unsound postings'
      return { ok: false, seq, problem }
    }
    headHash = entry.hash
  }
  assertSound(balances)
  return { ok: true, balances, totals, entries: seq, headHash }
}

/** Returns the first amount that differs between a head and its journal, or null. */
export function differenceFrom(
  replayed: Pick<JournalState, 'balances' | 'totals'>,
  head: Pick<JournalState, 'balances' | 'totals'>,
): string | null {
  return (
    differenceOf(head.balances, replayed.balances) ??
    differenceOfTotals(head.totals, replayed.totals)
  )
}
