/** Tiles of a log's Merkle tree and bundles of its entries, as in https://c2sp.org/tlog-tiles. */

/** The hashes of a full tile, and the entries of a full bundle. */
export const TILE_WIDTH = 256

/** A tile of hashes at a level, or a bundle of entries. */
export interface Tile {
  level: number | 'entries'
  /** Its place among those of its level. */
  index: number
  /** The number of its hashes or entries, from 1 to 256; less than 256 if it is partial. */
  width: number
}

const MAX_LEVEL = 63
const PATH =
  /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/){0,4}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/

/** Returns a tile's path below the log's prefix. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? []
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${name}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

/** Parses a tile's path. Returns null for any other path: each tile has exactly one. */
export function parseTilePath(path: string): Tile | null {
  const [, level = '', name = '', width] = PATH.exec(path) ?? []
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(name.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  const isLevel = tile.level === 'entries' || tile.level <= MAX_LEVEL
  return isLevel && tilePath(tile) === path ? tile : null
}

/** Returns the tiles of a level, in order, that hold a range of its hashes in a tree of a size. */
export function tilesOf(level: Tile['level'], from: number, size: number): Tile[] {
  const count = level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level)
  const tiles: Tile[] = []
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < count; index++) {
    const width = Math.min(TILE_WIDTH, count - index * TILE_WIDTH)
    tiles.push({ level, index, width })
  }
  return tiles
}

/** Joins entries to a bundle, each with its length before it as 16 bits, big-endian. */
export function bundleOf(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  let at = 0
  for (const entry of entries) {
    bundle.set([entry.length >> 8, entry.length & 0xff], at)
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** Splits a bundle into its entries. Returns null if the last one is cut off. */
export function entriesOf(bundle: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length;) {
    const start = at + 2
    const end = start + (((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0))
    if (end > bundle.length) return null
    entries.push(bundle.subarray(start, end))
    at = end
  }
  return entries
}

/**
 * Returns where a file of a site's log is: its path on the site, and its name in the archive. Tiles are cached
 * forever, so no two logs share one.
 * @param generation see `logOrigin`
 */
export function logPath(generation: number, path: string): string {
  return `log/${generation === 1 ? '' : `${generation}/`}${path}`
}

/** Returns which log a path of a site belongs to, and the path in that log; the reverse of {@link logPath}. */
export function parseLogPath(pathname: string): { generation: number; path: string } {
  const [, number = '1', path = ''] =
    /^\/log\/(?:([2-9]|[1-9]\d{1,5})\/)?(.*)$/.exec(pathname) ?? []
  return { generation: Number(number), path }
}
