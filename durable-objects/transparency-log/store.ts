import { concatBytes } from '@noble/hashes/utils'
import { utf8 } from '../../src/core/utf8.ts'
import type { LogEntry, LoggedEntry } from '../../src/transparency/entry.ts'
import { Frontier } from '../../src/transparency/frontier.ts'
import { leafHash, type Hash } from '../../src/transparency/merkle.ts'
import { bundleOf, TILE_WIDTH, type Tile } from '../../src/transparency/tiles.ts'
import { firstRow } from '../kernel/rows.ts'

/**
 * `entries` holds canonical JSON by index, `tiles` the root of each full tile of hashes, and `copies` how many
 * full tiles of level 0 the archive has.
 */
export const TABLES = `
  CREATE TABLE entries (
    idx INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    entry TEXT NOT NULL,
    UNIQUE (kind, id)
  ) STRICT;
  CREATE TABLE tiles (
    level INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (level, idx)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE copies (id INTEGER PRIMARY KEY CHECK (id = 1), tiles INTEGER NOT NULL) STRICT;
`

/**
 * The part of the log that no full tile covers: the last entries, and the last roots of each level of tiles. No log has
 * more levels.
 */
const EDGE = `
  WITH log(size) AS (SELECT coalesce(max(idx) + 1, 0) FROM entries)
  SELECT 0 AS level, idx, entry, NULL AS root
    FROM log CROSS JOIN entries ON idx >= size / ${TILE_WIDTH} * ${TILE_WIDTH}
  UNION ALL
  SELECT tiles.level + 1, idx, NULL, root
    FROM log CROSS JOIN (VALUES (0), (1), (2), (3), (4)) AS below CROSS JOIN tiles
    ON tiles.level = below.column1
      AND idx >= size / CAST(pow(${TILE_WIDTH}, below.column1 + 1) AS INTEGER) / ${TILE_WIDTH} * ${TILE_WIDTH}
  ORDER BY level, idx
`

type EdgeRow = { level: number; entry: string | null; root: ArrayBuffer | null }

/** The log's entries and tree in storage. In memory it keeps the tree's right edge only. */
export class LogStore {
  readonly #sql: SqlStorage
  #frontier: Frontier | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  forget(): void {
    this.#frontier = null
  }

  size(): number {
    return this.#edge().size
  }

  /** Returns the time of the newest entry, in unix milliseconds; 0 before the first. */
  newestAt(): number {
    const row = firstRow(
      this.#sql.exec<{ entry: string }>('SELECT entry FROM entries ORDER BY idx DESC LIMIT 1'),
    )
    return row ? (JSON.parse(row.entry) as LogEntry).at : 0
  }

  find(kind: string, id: string): LoggedEntry | null {
    const row = firstRow(
      this.#sql.exec<{ idx: number; entry: string }>(
        'SELECT idx, entry FROM entries WHERE kind = ? AND id = ?',
        kind,
        id,
      ),
    )
    return row ? { index: row.idx, entry: JSON.parse(row.entry) as LogEntry } : null
  }

  /** Stores an entry, in the caller's transaction. Returns whether it completed a tile. */
  append({ kind, id }: LogEntry, text: string): { index: number; completed: boolean } {
    const edge = this.#edge()
    const index = edge.size
    this.#sql.exec(
      'INSERT INTO entries (idx, kind, id, entry) VALUES (?, ?, ?, ?)',
      index,
      kind,
      id,
      text,
    )
    const tiles = edge.append(leafHash(utf8(text)))
    for (const { level, index: idx, root } of tiles) {
      this.#sql.exec('INSERT INTO tiles (level, idx, root) VALUES (?, ?, ?)', level, idx, root)
    }
    return { index, completed: tiles.length > 0 }
  }

  /** Returns the root of the first entries. @param size at most the current one */
  rootAt(size: number): Hash {
    return size === 0 ? new Frontier().root() : this.#frontierAt(size).root()
  }

  /** Returns a tile's bytes; null if the log is not that long. */
  tile({ level, index, width }: Tile): Uint8Array | null {
    const start = index * TILE_WIDTH
    if (level === 'entries') {
      const entries = this.#entries(start, width)
      return entries.length === width ? bundleOf(entries) : null
    }
    const hashes = this.#hashes(level, start, width)
    return hashes.length === width ? concatBytes(...hashes) : null
  }

  /**
   * Returns the next full tiles that the archive lacks: of entries, of their hashes, and those which these complete.
   */
  nextToCopy(): Tile[] | null {
    const copied = this.#copied()
    if ((copied + 1) * TILE_WIDTH > this.size()) return null
    const tiles: Tile[] = [
      { level: 'entries', index: copied, width: TILE_WIDTH },
      { level: 0, index: copied, width: TILE_WIDTH },
    ]
    let [level, count] = [1, copied + 1]
    while (count % TILE_WIDTH === 0) {
      count /= TILE_WIDTH
      tiles.push({ level, index: count - 1, width: TILE_WIDTH })
      level++
    }
    return tiles
  }

  /** Records that the archive has the tiles of {@link nextToCopy}. */
  markCopied(): void {
    this.#sql.exec(
      'INSERT INTO copies (id, tiles) VALUES (1, 1) ON CONFLICT DO UPDATE SET tiles = tiles + 1',
    )
  }

  /** Returns the number of entries in tiles that the archive has. */
  archived(): number {
    return this.#copied() * TILE_WIDTH
  }

  #copied(): number {
    return firstRow(this.#sql.exec<{ tiles: number }>('SELECT tiles FROM copies'))?.tiles ?? 0
  }

  #edge(): Frontier {
    this.#frontier ??= this.#readEdge()
    return this.#frontier
  }

  /** Reads the entries and the roots that no full tile covers yet, in one statement. */
  #readEdge(): Frontier {
    const rows = this.#sql.exec<EdgeRow>(EDGE).toArray()
    const height = (rows.at(-1)?.level ?? -1) + 1
    const levels = Array.from({ length: height }, (_, level) =>
      rows.filter((row) => row.level === level).map(hashOf),
    )
    return new Frontier(levels)
  }

  #frontierAt(size: number): Frontier {
    if (this.#frontier?.size === size) return this.#frontier
    const levels: Hash[][] = []
    for (let [level, count] = [0, size]; count > 0; level++) {
      const width = count % TILE_WIDTH
      levels.push(this.#hashes(level, count - width, width))
      count = Math.floor(count / TILE_WIDTH)
    }
    return new Frontier(levels)
  }

  /** Returns hashes of a level: of entries, or the roots of the full tiles below. */
  #hashes(level: number, start: number, count: number): Hash[] {
    if (level === 0) return this.#entries(start, count).map(leafHash)
    return this.#sql
      .exec<{ root: ArrayBuffer }>(
        'SELECT root FROM tiles WHERE level = ? AND idx >= ? AND idx < ? ORDER BY idx',
        level - 1,
        start,
        start + count,
      )
      .toArray()
      .map(({ root }) => new Uint8Array(root))
  }

  #entries(start: number, count: number): Uint8Array[] {
    return this.#sql
      .exec<{ entry: string }>(
        'SELECT entry FROM entries WHERE idx >= ? AND idx < ? ORDER BY idx',
        start,
        start + count,
      )
      .toArray()
      .map(({ entry }) => utf8(entry))
  }
}

function hashOf({ entry, root }: EdgeRow): Hash {
  return root ? new Uint8Array(root) : leafHash(utf8(entry ?? ''))
}
