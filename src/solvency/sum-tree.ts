import { invariant } from '../core/invariant.ts'
import { compareBytes } from './bytes.ts'
import { levelsOf, NODE_BYTES, nodeAt, padded, powerOfTwo, siblingsOf } from './tree.ts'

/** The leaves of a chunk: as many as one stored row holds, and one proof hashes again. */
export const CHUNK_LEAVES = 1_024

/** The most wallets in a tree. Each takes 4 bytes of memory while the tree is built, besides a bucket's leaves. */
export const MAX_WALLETS = 4_194_304

/** From this many wallets on, each count warns that their number nears its limit. */
export const MANY_WALLETS = MAX_WALLETS / 2

/** About this many leaves are sorted at once. Each takes some 300 bytes of memory, and an object has 128 MB. */
const BUCKET_LEAVES = 65_536

/** A packed leaf, and where its wallet's record is among all records. */
interface PlacedLeaf {
  leaf: Uint8Array
  index: number
}

/**
 * Yields all leaves in the order of their hashes, in buckets of hashes that begin alike. Salted hashes spread evenly,
 * so a bucket never has many more than others.
 * @param count the number of leaves
 * @param rows returns all packed leaves in the order of the records, in rows of any length; called for each bucket
 */
export function* sortedBuckets(
  count: number,
  rows: () => Iterable<Uint8Array>,
  bucketLeaves = BUCKET_LEAVES,
): Generator<PlacedLeaf[]> {
  const buckets = powerOfTwo(Math.ceil(count / bucketLeaves))
  for (let bucket = 0; bucket < buckets; bucket++) {
    const placed: PlacedLeaf[] = []
    let index = 0
    for (const row of rows()) {
      for (let at = 0; at < row.length / NODE_BYTES; at++, index++) {
        const leaf = nodeAt(row, at)
        // A copy, so that the row's memory is free again.
        if (bucketOf(leaf, buckets) === bucket) placed.push({ leaf: leaf.slice(), index })
      }
    }
    invariant(index === count, 'every wallet has a leaf')
    yield placed.sort((some, other) => compareBytes(some.leaf, other.leaf))
  }
}

function bucketOf([first = 0, second = 0]: Uint8Array, buckets: number): number {
  return Math.floor(((first * 256 + second) * buckets) / 65_536)
}

/** The nodes above the chunks of leaves, packed: the top of each, and the top of all. */
export interface Tops {
  tops: Uint8Array
  top: Uint8Array
}

/** Builds a tree from its sorted leaves, one after another. */
export class TreeBuilder {
  readonly #size: number
  readonly #save: (chunk: number, leaves: Uint8Array) => void
  readonly #chunk = new Uint8Array(CHUNK_LEAVES * NODE_BYTES)
  readonly #tops: Uint8Array
  #count = 0

  /** @param save stores the leaves of a chunk, without padding */
  constructor(count: number, save: (chunk: number, leaves: Uint8Array) => void) {
    invariant(count <= MAX_WALLETS, `a tree has at most ${MAX_WALLETS} wallets`)
    this.#size = powerOfTwo(count)
    this.#save = save
    this.#tops = new Uint8Array(Math.ceil(count / CHUNK_LEAVES) * NODE_BYTES)
  }

  /** Adds the next leaf. Returns its position. */
  add(leaf: Uint8Array): number {
    const position = this.#count++
    this.#chunk.set(leaf, (position % CHUNK_LEAVES) * NODE_BYTES)
    if (this.#count % CHUNK_LEAVES === 0) this.#endChunk(CHUNK_LEAVES)
    return position
  }

  /** Returns the tops, once all leaves have been added. */
  end(): Tops {
    const rest = this.#count % CHUNK_LEAVES
    if (rest > 0) this.#endChunk(rest)
    const chunkLeaves = Math.min(CHUNK_LEAVES, this.#size)
    const empty = topOf(new Uint8Array(), chunkLeaves)
    const tops = padded(this.#tops, this.#size / chunkLeaves, empty)
    return { tops, top: topOf(tops, tops.length / NODE_BYTES) }
  }

  #endChunk(leaves: number): void {
    const chunk = Math.ceil(this.#count / CHUNK_LEAVES) - 1
    const packed = this.#chunk.slice(0, leaves * NODE_BYTES)
    this.#save(chunk, packed)
    const top = topOf(packed, Math.min(CHUNK_LEAVES, this.#size))
    this.#tops.set(top, chunk * NODE_BYTES)
  }
}

/** Returns the siblings of a leaf, from its chunk without padding and the tops of all chunks. */
export function siblingsIn(chunk: Uint8Array, tops: Uint8Array, leaves: number, position: number) {
  const size = Math.min(CHUNK_LEAVES, powerOfTwo(leaves))
  return [
    ...siblingsOf(levelsOf(padded(chunk, size)), position % size),
    ...siblingsOf(levelsOf(tops), Math.floor(position / size)),
  ]
}

/** Returns the top of a tree over some leaves, padded with empty ones. @param size a power of two */
function topOf(leaves: Uint8Array, size: number): Uint8Array {
  return levelsOf(padded(leaves, size)).at(-1) ?? leaves
}
