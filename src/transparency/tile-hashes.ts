import { largestPowerBelow, nodeHash, treeHash, type Hash, type Range } from './merkle.ts'
import { TILE_WIDTH, type Tile } from './tiles.ts'

const HASH_BYTES = 32

/** Splits a tile of hashes. Returns null if it does not have the width. */
export function hashesOf(bytes: Uint8Array, width: number): Hash[] | null {
  if (bytes.length !== width * HASH_BYTES) return null
  return Array.from({ length: width }, (_, at) =>
    bytes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  )
}

/**
 * Returns the root of a subtree of a proof's path, from the log's tiles.
 * @param size of the tree that the tiles are read from
 * @param read returns the hashes of a tile
 */
export async function subtreeHash(
  { start, end }: Range,
  size: number,
  read: (tile: Tile) => Promise<Hash[]>,
): Promise<Hash> {
  const count = end - start
  const isComplete = Number.isInteger(Math.log2(count)) && start % count === 0
  if (!isComplete) {
    const split = start + largestPowerBelow(count)
    const left = await subtreeHash({ start, end: split }, size, read)
    return nodeHash(left, await subtreeHash({ start: split, end }, size, read))
  }
  let [level, span] = [0, 1]
  while (span * TILE_WIDTH <= count) [level, span] = [level + 1, span * TILE_WIDTH]
  const [first, width] = [start / span, count / span]
  const index = Math.floor(first / TILE_WIDTH)
  const inLevel = Math.floor(size / span)
  const tile = { level, index, width: Math.min(TILE_WIDTH, inLevel - index * TILE_WIDTH) }
  const at = first - index * TILE_WIDTH
  return treeHash((await read(tile)).slice(at, at + width))
}
