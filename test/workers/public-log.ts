import { env, exports } from 'cloudflare:workers'
import { expect } from 'vitest'
import { transparencyLog } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { openCheckpoint, type OpenedCheckpoint } from '../../src/transparency/checkpoint.ts'
import {
  parseEntry,
  type LogEntry,
  type LoggedEntry,
  type LogKind,
} from '../../src/transparency/entry.ts'
import { entriesOf, tilePath, tilesOf, type Tile } from '../../src/transparency/tiles.ts'
import { now, pass } from './support.ts'

/** Reads a path of the log. */
export function readLog(path: string, init?: RequestInit): Promise<Response> {
  return exports.default.fetch(`http://fairhouse.test/log/${path}`, init)
}

/** The published checkpoint, verified. */
export async function published(): Promise<OpenedCheckpoint> {
  // An isolate shows a checkpoint for a second.
  pass(1_000)
  const { log } = loadConfig(env)
  const text = await (await readLog('checkpoint')).text()
  const checkpoint = log && openCheckpoint(text, log.key.verifier)
  expect(checkpoint, text).not.toBeNull()
  return checkpoint as OpenedCheckpoint
}

export async function readTile(tile: Tile): Promise<Uint8Array> {
  const response = await readLog(tilePath(tile))
  expect(response.status, tilePath(tile)).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

/** All entries of the log, in order. */
export async function loggedEntries(): Promise<LogEntry[]> {
  const { size } = await published()
  const bundles = await Promise.all(tilesOf('entries', 0, size).map(readTile))
  return bundles.flatMap((bundle) =>
    (entriesOf(bundle) ?? []).flatMap((bytes) => parseEntry(bytes) ?? []),
  )
}

export const entry = (id: string | number, fields: object = {}): LogEntry => ({
  kind: 'plan',
  id: String(id),
  at: now(),
  ...fields,
})

export function append(...ids: (string | number)[]): Promise<LoggedEntry[]> {
  return Promise.all(ids.map((id) => transparencyLog(env).append(entry(id))))
}

/** Appends entries in order. */
export async function appendMany(from: number, count: number): Promise<void> {
  for (let start = from; start < from + count; start += 64) {
    const length = Math.min(64, from + count - start)
    await append(...Array.from({ length }, (_, step) => start + step))
  }
}

/** The entries of a kind, in order. */
export async function loggedOf(kind: LogKind): Promise<LogEntry[]> {
  return (await loggedEntries()).filter((found) => found.kind === kind)
}
