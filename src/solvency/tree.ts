import { sha256 } from '@noble/hashes/sha2'
import { concatBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'
import type { PerToken } from '../money/token.ts'
import { amountAt, packAmount, packNumber } from './bytes.ts'

/**
 * A Merkle sum tree: every node carries the sums of the amounts below it, so nobody's part can be left out of
 * the total without a player noticing. A node is packed as its hash and its sums of ETH and USDG, which is how
 * it stands in its parent's preimage; a level of the tree is its nodes, one after another.
 */
export const NODE_BYTES = 64
const HASH_BYTES = 32

const EMPTY_PREFIX = Uint8Array.of(0)
const NODE_PREFIX = Uint8Array.of(1)
const ROOT_PREFIX = Uint8Array.of(2)

/** Returns a packed node. @param sums in smallest units, below 2^128 */
export function packNode(hash: Uint8Array, { ETH, USDG }: PerToken<bigint>): Uint8Array {
  return concatBytes(hash, packAmount(ETH), packAmount(USDG))
}

/** Pads a level to a power of two. */
export const EMPTY_LEAF = packNode(sha256(EMPTY_PREFIX), { ETH: 0n, USDG: 0n })

/** Returns the node above two. @throws InvariantError if a sum reaches 2^128 */
export function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  const parent = new Uint8Array(NODE_BYTES)
  parent.set(sha256(concatBytes(NODE_PREFIX, left, right)))
  for (let end = NODE_BYTES; end > HASH_BYTES; end -= 16) {
    let carry = 0
    for (let at = end - 1; at >= end - 16; at--) {
      const sum = (left[at] ?? 0) + (right[at] ?? 0) + carry
      parent[at] = sum & 0xff
      carry = sum >> 8
    }
    invariant(carry === 0, 'a sum of the tree is below 2^128')
  }
  return parent
}

/** Returns a node of a level. */
export function nodeAt(level: Uint8Array, index: number): Uint8Array {
  return level.subarray(index * NODE_BYTES, (index + 1) * NODE_BYTES)
}

/** Returns the hash and the sums of a packed node. */
export function readNode(node: Uint8Array): { hash: Uint8Array; sums: PerToken<bigint> } {
  const sums = { ETH: amountAt(node, HASH_BYTES), USDG: amountAt(node, HASH_BYTES + 16) }
  return { hash: node.subarray(0, HASH_BYTES), sums }
}

/** Pads packed nodes with empty ones to a number of nodes, a power of two. @param empty that of their height */
export function padded(nodes: Uint8Array, size: number, empty = EMPTY_LEAF): Uint8Array {
  const level = new Uint8Array(size * NODE_BYTES)
  level.set(nodes)
  for (let at = nodes.length; at < level.length; at += NODE_BYTES) level.set(empty, at)
  return level
}

/** Returns the smallest power of two that is not below a number; 1 for none. */
export function powerOfTwo(number: number): number {
  return number <= 1 ? 1 : 2 ** Math.ceil(Math.log2(number))
}

/** Returns all levels over one of 2^n nodes, itself first and the top last. */
export function levelsOf(level: Uint8Array): Uint8Array[] {
  const levels = [level]
  for (let below = level; below.length > NODE_BYTES;) {
    const above = new Uint8Array(below.length / 2)
    for (let index = 0; index < above.length / NODE_BYTES; index++) {
      const parent = parentOf(nodeAt(below, 2 * index), nodeAt(below, 2 * index + 1))
      above.set(parent, index * NODE_BYTES)
    }
    levels.push(above)
    below = above
  }
  return levels
}

/** Returns the siblings on the way from a node to the top, from the lowest up. */
export function siblingsOf(levels: readonly Uint8Array[], index: number): Uint8Array[] {
  return levels
    .slice(0, -1)
    .map((level, height) => nodeAt(level, Math.floor(index / 2 ** height) ^ 1))
}

/** Returns the top that a node and its siblings lead to. @throws InvariantError if a sum reaches 2^128 */
export function climb(
  node: Uint8Array,
  index: number,
  siblings: readonly Uint8Array[],
): Uint8Array {
  return siblings.reduce((below, sibling, height) => {
    const isRight = Math.floor(index / 2 ** height) % 2 === 1
    return isRight ? parentOf(sibling, below) : parentOf(below, sibling)
  }, node)
}

/** Returns the published root: of an epoch, and of the tree's top with its sums. */
export function rootOf(epoch: number, top: Uint8Array): Uint8Array {
  return sha256(concatBytes(ROOT_PREFIX, packNumber(epoch), top))
}
