import { invariant } from '../core/invariant.ts'
import { compareBytes } from './bytes.ts'
import { leafOf, RECORD_BYTES, saltOf, walletSaltOf } from './leaf.ts'
import { levelsOf, NODE_BYTES, nodeAt, padded, powerOfTwo, siblingsOf } from './tree.ts'

/** The leaves of a chunk: as many as one stored row holds, and one proof hashes again. */
export const CHUNK_LEAVES = 1_024

/**
 * The most wallets in a tree. Building one takes about 300 bytes of memory a wallet, and an object has 128 MB.
 * Beyond, the wallets have to be divided among several objects, each with a part of the tree.
 */
export const MAX_WALLETS = 131_072

/** From this many wallets on, each count warns that their number nears its limit. */
export const MANY_WALLETS = MAX_WALLETS / 2

/** A tree in the parts that are stored: chunks of leaves, and what is above them. */
export interface SumTree {
  /** The packed leaves, sorted by hash, without padding. */
  leaves: Uint8Array
  /** For each record, in its own order, where its leaf is. */
  positions: Uint32Array
  /** The packed tops of the chunks. */
  tops: Uint8Array
  /** The packed top of the tree. */
  top: Uint8Array
}

/** Builds the tree of an epoch over packed records, one after another. @param key the service's secret */
export function buildTree(key: Uint8Array, epoch: number, records: Uint8Array): SumTree {
  const count = records.length / RECORD_BYTES
  invariant(count <= MAX_WALLETS, `a tree has at most ${MAX_WALLETS} wallets`)
  const unsorted = new Uint8Array(count * NODE_BYTES)
  for (let index = 0; index < count; index++) {
    const record = records.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES)
    const salt = saltOf(walletSaltOf(key, record.subarray(0, 20)), epoch)
    unsorted.set(leafOf(salt, epoch, record), index * NODE_BYTES)
  }
  const order = Array.from({ length: count }, (_, index) => index).sort((a, b) =>
    compareBytes(nodeAt(unsorted, a), nodeAt(unsorted, b)),
  )
  const [leaves, positions] = [new Uint8Array(unsorted.length), new Uint32Array(count)]
  for (const [position, index] of order.entries()) {
    leaves.set(nodeAt(unsorted, index), position * NODE_BYTES)
    positions[index] = position
  }
  const size = powerOfTwo(count)
  const tops = topsOf(leaves, size)
  return { leaves, positions, tops, top: levelsOf(tops).at(-1) ?? tops }
}

/** Returns the siblings of a leaf, from its chunk without padding and the tops of all chunks. */
export function siblingsIn(chunk: Uint8Array, tops: Uint8Array, leaves: number, position: number) {
  const size = Math.min(CHUNK_LEAVES, powerOfTwo(leaves))
  return [
    ...siblingsOf(levelsOf(padded(chunk, size)), position % size),
    ...siblingsOf(levelsOf(tops), Math.floor(position / size)),
  ]
}

/** Returns the packed tops of all chunks of a tree of a size. */
function topsOf(leaves: Uint8Array, size: number): Uint8Array {
  const chunkLeaves = Math.min(CHUNK_LEAVES, size)
  const tops = new Uint8Array((size / chunkLeaves) * NODE_BYTES)
  for (let chunk = 0; chunk < size / chunkLeaves; chunk++) {
    const top = levelsOf(padded(chunkOf(leaves, chunk), chunkLeaves)).at(-1)
    tops.set(top ?? tops, chunk * NODE_BYTES)
  }
  return tops
}

/** Returns the leaves of a chunk, without padding. */
export function chunkOf(leaves: Uint8Array, chunk: number): Uint8Array {
  const bytes = CHUNK_LEAVES * NODE_BYTES
  return leaves.subarray(chunk * bytes, (chunk + 1) * bytes)
}
