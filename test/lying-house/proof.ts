import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import { expect } from 'vitest'
import { exportSource, readManifest } from '../../src/cli/audit/source.ts'
import { LogReader } from '../../src/cli/monitor/log-reader.ts'
import { fromBase64 } from '../../src/core/base64.ts'
import type { Statement } from '../../src/solvency/statement.ts'
import { openCheckpoint, type OpenedCheckpoint } from '../../src/transparency/checkpoint.ts'
import { entryText, parseEntry, type LogEntry } from '../../src/transparency/entry.ts'
import {
  isIncluded,
  isSameHash,
  leafHash,
  treeHash,
  type Hash,
} from '../../src/transparency/merkle.ts'
import { parseVerifierKey } from '../../src/transparency/note.ts'
import { SITE } from './house.ts'
import type { MonitorProof } from './watch.ts'

/** Checks a monitor's proof with nothing else in hand: the log has signed the entries that it names. */
export function expectSignedEntries(proof: MonitorProof): void {
  const tree = opened(proof.checkpoint, proof)
  const leaves = leavesIn(proof.evidence)
  expect(leaves.size).toBeGreaterThan(0)
  for (const [index, leaf] of leaves) {
    const path = proof.inclusion.find((each) => each.index === index)?.proof
    const hashes = path?.map((text) => fromBase64(text) ?? new Uint8Array())
    expect(hashes && isIncluded({ index, leaf }, tree, hashes), `entry ${index}`).toBe(true)
  }
}

/** The same: the log has signed two trees that are not one log. */
export function expectTwoCheckpoints(proof: MonitorProof): void {
  const { earlier, later } = proof.evidence
  const [one, other] = [earlier, later].map((text) => opened(text, proof))
  if (!one || !other) throw new Error('there are two checkpoints')
  expect(one.origin).toBe(other.origin)
  expect(one.size).toBe(other.size)
  expect(isSameHash(one.root, other.root)).toBe(false)
}

function opened(text: unknown, { key }: MonitorProof): OpenedCheckpoint {
  const verifier = parseVerifierKey(key)
  const checkpoint = verifier && openCheckpoint(String(text), verifier)
  if (!checkpoint) throw new Error('the log has not signed this checkpoint')
  return checkpoint
}

/** Checks that the log has signed the newest statement of what the house owes and holds. */
export async function expectSignedStatement(): Promise<void> {
  const answer = await fetch(new URL('/api/solvency', SITE))
  const { ok: _, ...statement }: Statement & { ok: true } = await answer.json()
  const entry = await lastEntry('solvency')
  expect(entry).toEqual({ kind: 'solvency', id: String(statement.epoch), ...statement })
}

/** Checks that the log has signed the hash of the newest manifest, which has those of the files. */
export async function expectSignedManifest(): Promise<void> {
  const entry = await lastEntry('export')
  const { sha256 } = await readManifest(exportSource(SITE), entry.id)
  expect(entry['sha256']).toBe(sha256)
}

/** Returns the newest entry of a kind, by the log's signed checkpoint. */
async function lastEntry(kind: LogEntry['kind']): Promise<LogEntry> {
  const reader = new LogReader(new URL(SITE))
  const key = parseVerifierKey((await reader.text('key')).trim())
  const tree = key && openCheckpoint(await reader.text('checkpoint'), key)
  if (!tree) throw new Error('the log has a signed checkpoint')
  const entries: LogEntry[] = []
  const leaves: Hash[] = []
  for await (const bytes of reader.entries(0, tree.size)) {
    leaves.push(leafHash(bytes))
    const entry = parseEntry(bytes)
    if (entry?.kind === kind) entries.push(entry)
  }
  expect(isSameHash(treeHash(leaves), tree.root)).toBe(true)
  const last = entries.at(-1)
  if (!last) throw new Error(`the log has no entry of ${kind}`)
  return last
}

/** Returns the leaves of all entries in some evidence, by their places. */
function leavesIn(evidence: unknown): Map<number, Hash> {
  if (typeof evidence !== 'object' || evidence === null) return new Map()
  const { index, entry, expected } = evidence as Record<string, unknown>
  if (typeof index !== 'number')
    return new Map(Object.values(evidence).flatMap((value) => [...leavesIn(value)]))
  // Of an entry that was replaced, only the hash of the signed one is known.
  const leaf =
    typeof expected === 'string'
      ? hexToBytes(expected)
      : leafHash(utf8ToBytes(entryText(entry as LogEntry)))
  return new Map([[index, leaf]])
}
