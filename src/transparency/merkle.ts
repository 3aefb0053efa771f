import { sha256 } from '@noble/hashes/sha2'
import { concatBytes } from '@noble/hashes/utils'
import { invariant } from '../core/invariant.ts'

/** The Merkle tree of RFC 6962, section 2, over SHA-256. Hashes are 32 bytes. */
export type Hash = Uint8Array

const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)]

/** The hash of a tree without leaves. */
export const EMPTY_ROOT: Hash = sha256(new Uint8Array())

export function leafHash(data: Uint8Array): Hash {
  return sha256(concatBytes(LEAF, data))
}

export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256(concatBytes(NODE, left, right))
}

/** Returns the hash of a tree over the hashes of its leaves, or of complete subtrees of equal height. */
export function treeHash(leaves: readonly Hash[]): Hash {
  // Complete subtrees from the left, largest first: their sizes are the bits of the number of leaves.
  const subtrees: Hash[] = []
  for (const [index, leaf] of leaves.entries()) {
    let hash = leaf
    for (let size = index; size % 2 === 1; size = (size - 1) / 2) {
      hash = nodeHash(subtrees.pop() ?? hash, hash)
    }
    subtrees.push(hash)
  }
  return (
    subtrees.reduceRight<Hash | null>(
      (right, left) => (right ? nodeHash(left, right) : left),
      null,
    ) ?? EMPTY_ROOT
  )
}

/** A subtree: the leaves from `start` up to, and without, `end`. */
export interface Range {
  start: number
  end: number
}

/**
 * Returns the subtrees whose roots prove that a leaf is in a tree, from the leaf's sibling up.
 * @param index of the leaf, below `size`
 */
export function inclusionPath(index: number, size: number): Range[] {
  invariant(index >= 0 && index < size, 'the leaf is in the tree')
  return path(index, { start: 0, end: size })
}

function path(index: number, { start, end }: Range): Range[] {
  if (end - start === 1) return []
  const split = start + largestPowerBelow(end - start)
  const [left, right] = [
    { start, end: split },
    { start: split, end },
  ]
  return index < split ? [...path(index, left), right] : [...path(index, right), left]
}

/**
 * Returns the subtrees whose roots prove that a tree is the beginning of a larger one.
 * @param oldSize from 1 to `size`
 */
export function consistencyPath(oldSize: number, size: number): Range[] {
  invariant(oldSize >= 1 && oldSize <= size, 'the older tree is not empty and not the larger one')
  return oldSize === size ? [] : subproof(oldSize, { start: 0, end: size }, true)
}

/** SUBPROOF of RFC 6962, section 2.1.2. @param isOld whether the subtree is the older tree itself so far */
function subproof(oldSize: number, range: Range, isOld: boolean): Range[] {
  const { start, end } = range
  if (oldSize === end) return isOld ? [] : [range]
  const split = start + largestPowerBelow(end - start)
  return oldSize <= split
    ? [...subproof(oldSize, { start, end: split }, isOld), { start: split, end }]
    : [...subproof(oldSize, { start: split, end }, false), { start, end: split }]
}

/** Returns whether a proof shows a leaf in a tree (RFC 9162, section 2.1.3.2). */
export function isIncluded(
  { index, leaf }: { index: number; leaf: Hash },
  { size, root }: { size: number; root: Hash },
  proof: readonly Hash[],
): boolean {
  if (!isIndex(index) || !isIndex(size) || index >= size) return false
  let [place, last, hash] = [BigInt(index), BigInt(size) - 1n, leaf]
  for (const sibling of proof) {
    if (last === 0n) return false
    if (isOdd(place) || place === last) {
      hash = nodeHash(sibling, hash)
      while (!isOdd(place) && place !== 0n) [place, last] = [place >> 1n, last >> 1n]
    } else {
      hash = nodeHash(hash, sibling)
    }
    ;[place, last] = [place >> 1n, last >> 1n]
  }
  return last === 0n && isSameHash(hash, root)
}

/** A tree by its size and root. */
export interface Tree {
  size: number
  root: Hash
}

/** Returns whether a proof shows that a tree begins with an older one (RFC 9162, section 2.1.4.2). */
export function isConsistent(old: Tree, tree: Tree, proof: readonly Hash[]): boolean {
  if (!isIndex(old.size) || !isIndex(tree.size) || old.size > tree.size) return false
  if (old.size === tree.size) return proof.length === 0 && isSameHash(old.root, tree.root)
  if (old.size === 0) return proof.length === 0 && isSameHash(old.root, EMPTY_ROOT)
  let [place, last] = [BigInt(old.size) - 1n, BigInt(tree.size) - 1n]
  while (isOdd(place)) [place, last] = [place >> 1n, last >> 1n]
  const [first, ...rest] = place === 0n ? [old.root, ...proof] : proof
  if (!first) return false
  let [oldHash, hash] = [first, first]
  for (const sibling of rest) {
    if (last === 0n) return false
    if (isOdd(place) || place === last) {
      ;[oldHash, hash] = [nodeHash(sibling, oldHash), nodeHash(sibling, hash)]
      while (!isOdd(place) && place !== 0n) [place, last] = [place >> 1n, last >> 1n]
    } else {
      hash = nodeHash(hash, sibling)
    }
    ;[place, last] = [place >> 1n, last >> 1n]
  }
  return last === 0n && isSameHash(oldHash, old.root) && isSameHash(hash, tree.root)
}

export function isSameHash(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function isOdd(value: bigint): boolean {
  return (value & 1n) === 1n
}

/** Returns the largest power of two below a size of 2 or more. */
export function largestPowerBelow(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}
