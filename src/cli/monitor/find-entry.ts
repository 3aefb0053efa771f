import { openCheckpoint } from '../../transparency/checkpoint.ts'
import { parseEntry, type LogEntry, type LogKind } from '../../transparency/entry.ts'
import { inclusionPath, isIncluded, leafHash } from '../../transparency/merkle.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import { subtreeHash } from '../../transparency/tile-hashes.ts'
import { TILE_WIDTH } from '../../transparency/tiles.ts'
import type { LogReader } from './log-reader.ts'

/** An entry of a kind and id in a log, or why it is not proven to be there. */
export interface Found {
  /** Whether the checkpoint is signed with the key. */
  isSigned: boolean
  /** The entry that the log serves; null if it has none. */
  entry: LogEntry | null
  /** Whether the entry is included under the checkpoint. */
  isIncluded: boolean
}

/**
 * Finds an entry in a log, from its newest entries back, and proves that it is included under the signed checkpoint.
 * @param notBefore entries more than a bundle before this time, in unix milliseconds, are not read
 * @throws LogUnavailable
 */
export async function findEntry(
  reader: Pick<LogReader, 'text' | 'entries' | 'hashes'>,
  key: VerifierKey,
  wanted: { kind: LogKind; id: string; notBefore: number },
): Promise<Found> {
  const checkpoint = openCheckpoint(await reader.text('checkpoint'), key)
  if (!checkpoint) return { isSigned: false, entry: null, isIncluded: false }
  const { size } = checkpoint
  const last = Math.floor((size - 1) / TILE_WIDTH)
  for (let bundle = last; bundle >= 0; bundle--) {
    const read = await readBundle(reader, bundle, size)
    const at = read.findIndex(({ entry }) => entry?.kind === wanted.kind && entry.id === wanted.id)
    const found = read[at]
    if (found?.entry) {
      const index = bundle * TILE_WIDTH + at
      const path = inclusionPath(index, size)
      const proof = await Promise.all(path.map((range) => subtreeHash(range, size, reader.hashes)))
      const isThere = isIncluded({ index, leaf: leafHash(found.bytes) }, checkpoint, proof)
      return { isSigned: true, entry: found.entry, isIncluded: isThere }
    }
    // Entries are appended within a short time of their own, so older bundles have only older entries.
    if (read.every(({ entry }) => entry !== null && entry.at < wanted.notBefore)) break
  }
  return { isSigned: true, entry: null, isIncluded: false }
}

async function readBundle(reader: Pick<LogReader, 'entries'>, bundle: number, size: number) {
  const end = Math.min(size, (bundle + 1) * TILE_WIDTH)
  const read: { bytes: Uint8Array; entry: LogEntry | null }[] = []
  for await (const bytes of reader.entries(bundle * TILE_WIDTH, end)) {
    read.push({ bytes, entry: parseEntry(bytes) })
  }
  return read
}
