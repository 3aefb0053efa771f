import { sha256 } from '@noble/hashes/sha2'
import { concatBytes } from '@noble/hashes/utils'

/** Merkle tree hashes. Source: RFC 6962, section 2.1. */

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** Returns the hash of a leaf with some data. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, data))
}

/** Returns the hash of a node with two subtrees. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right))
}

/** Returns the hash of a tree over the hashes of its leaves. Without leaves it is the sha256 of nothing. */
export function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  // Complete subtrees from the left, largest first: their sizes are the bits of the number of leaves.
  const subtrees: Uint8Array[] = []
  for (const [index, leaf] of leaves.entries()) {
    let hash = leaf
    for (let size = index; size % 2 === 1; size = (size - 1) / 2) {
      hash = nodeHash(subtrees.pop() ?? hash, hash)
    }
    subtrees.push(hash)
  }
  return (
    subtrees.reduceRight<Uint8Array | null>(
      (right, left) => (right ? nodeHash(left, right) : left),
      null,
    ) ?? sha256(new Uint8Array())
  )
}
