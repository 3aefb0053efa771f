import { EMPTY_ROOT, nodeHash, treeHash, type Hash } from './merkle.ts'
import { TILE_WIDTH, type Tile } from './tiles.ts'

/** A full tile of hashes, and the root of the subtree that it spans. */
interface FullTile extends Tile {
  level: number
  root: Hash
}

/**
 * The right edge of a log's tree: the partial tile of each level. It suffices to append entries and to compute the
 * root, and has at most 255 hashes a level.
 */
export class Frontier {
  readonly #levels: Hash[][]

  /** @param levels the hashes of each level's partial tile, from level 0 up */
  constructor(levels: readonly (readonly Hash[])[] = []) {
    this.#levels = levels.map((hashes) => [...hashes])
  }

  /** The hashes of each level's partial tile, from level 0 up. */
  get levels(): readonly (readonly Hash[])[] {
    return this.#levels
  }

  /** The number of entries. */
  get size(): number {
    return this.#levels.reduceRight((size, hashes) => size * TILE_WIDTH + hashes.length, 0)
  }

  /** Appends the hash of an entry. Returns the tiles that it completes, from level 0 up. */
  append(leaf: Hash): FullTile[] {
    const index = Math.floor(this.size / TILE_WIDTH)
    return this.#push(0, leaf, index)
  }

  root(): Hash {
    let root: Hash | null = null
    for (const hashes of this.#levels) {
      let end = hashes.length
      while (end > 0) {
        // The rightmost complete subtree of this level.
        const width = end & -end
        const peak = treeHash(hashes.slice(end - width, end))
        root = root ? nodeHash(peak, root) : peak
        end -= width
      }
    }
    return root ?? EMPTY_ROOT
  }

  #push(level: number, hash: Hash, index: number): FullTile[] {
    const hashes = (this.#levels[level] ??= [])
    hashes.push(hash)
    if (hashes.length < TILE_WIDTH) return []
    const root = treeHash(hashes)
    this.#levels[level] = []
    const tile = { level, index, width: TILE_WIDTH, root }
    return [tile, ...this.#push(level + 1, root, Math.floor(index / TILE_WIDTH))]
  }
}
