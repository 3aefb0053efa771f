import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'
import { SEGMENT_ENTRIES } from './capacity.ts'
import { unpackHead } from './head.ts'
import {
  differenceFrom,
  linked,
  postingsOfTuples,
  replay,
  tuplesOf,
  type JournalState,
  type StoredEntry,
} from './journal.ts'

/** Returns the number of the segment with an entry. The first of either is 1. */
export function segmentOf(seq: number): number {
  return Math.ceil(seq / SEGMENT_ENTRIES)
}

export function lastSeqOf(segment: number): number {
  return segment * SEGMENT_ENTRIES
}

/** The state of a journal at the end of a segment. */
export interface SegmentEnd {
  at: number
  hash: string
  head: Uint8Array
}

/** Returns the name of a segment's file. Another content has another name. */
export function segmentKey(wallet: string, segment: number, { hash }: SegmentEnd): string {
  return `journals/${wallet}/${segment}-${hash}.jsonl.gz`
}

/** Returns an entry as a line of its segment's file. */
export function lineOf({ postings, head, ...entry }: StoredEntry): string {
  return JSON.stringify({ ...entry, postings: tuplesOf(postings), head: bytesToHex(head) })
}

/** Reverses {@link lineOf}. */
export function entryOfLine(line: string): StoredEntry {
  const { postings, head, ...entry } = JSON.parse(line)
  return { ...entry, postings: postingsOfTuples(postings), head: hexToBytes(head) }
}

/**
 * Returns the state of a journal after more of its entries.
 * @throws InvariantError if they don't continue it
 */
export function replayedWith(before: JournalState, entries: Iterable<StoredEntry>): JournalState {
  const replayed = replay(linked(entries, before.headHash), before)
  invariant(replayed.ok, replayed.ok ? '' : `entry ${replayed.seq}: ${replayed.problem}`)
  return replayed
}

/**
 * Checks that all entries of a segment were replayed and amount to its end.
 * @throws InvariantError if they don't
 */
export function checkEnd(replayed: JournalState, segment: number, end: SegmentEnd): void {
  invariant(replayed.entries === lastSeqOf(segment), 'a segment is complete')
  invariant(replayed.headHash === end.hash, "a segment's last hash is the one it was sealed with")
  const wrong = differenceFrom(replayed, unpackHead(end.head))
  invariant(wrong === null, `the segment's entries lead to its ${wrong}`)
}
