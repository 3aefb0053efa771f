import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64 } from '../../../src/core/base64.ts'
import { Frontier } from '../../../src/transparency/frontier.ts'
import {
  consistencyPath,
  EMPTY_ROOT,
  inclusionPath,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  treeHash,
  type Hash,
  type Range,
} from '../../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../../src/transparency/tiles.ts'
import { forAll } from '../support/for-all.ts'
import { CONSISTENCY, CT_TREE, INCLUSION } from './vectors.ts'

const hashesOf = (list: readonly string[]) => list.map((text) => fromBase64(text) as Hash)
const hash = (text: string) => fromBase64(text) as Hash
const LEAVES = Array.from({ length: 600 }, (_, index) => leafHash(utf8ToBytes(String(index))))
const rangeOf = ({ start, end }: Range) => treeHash(LEAVES.slice(start, end))
const tree = (size: number) => ({ size, root: treeHash(LEAVES.slice(0, size)) })
const flipped = (bytes: Hash, bit: number) =>
  bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

describe('the Merkle tree', () => {
  it('has the published hashes of RFC 6962', () => {
    // rfc6962/rfc6962_test.go of https://github.com/transparency-dev/merkle
    expect(bytesToHex(leafHash(utf8ToBytes('L123456')))).toBe(
      '395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56',
    )
    expect(bytesToHex(nodeHash(utf8ToBytes('N123'), utf8ToBytes('N456')))).toBe(
      'aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb',
    )
    const leaves = CT_TREE.leaves.map((hex) => leafHash(hexToBytes(hex)))
    const roots = CT_TREE.roots.map((_, size) => bytesToHex(treeHash(leaves.slice(0, size))))
    expect(roots).toEqual(CT_TREE.roots)
  })

  it.each(INCLUSION)('accepts the published proof of leaf $index of $size', (vector) => {
    const { index, size, proof } = vector
    const [leaf, root] = [hash(vector.leaf), hash(vector.root)]
    expect(isIncluded({ index, leaf }, { size, root }, hashesOf(proof))).toBe(true)
    const leaves = CT_TREE.leaves.map((hex) => leafHash(hexToBytes(hex)))
    const built = inclusionPath(index, size).map(({ start, end }) =>
      treeHash(leaves.slice(start, end)),
    )
    expect(built).toEqual(hashesOf(proof))
  })

  it.each(CONSISTENCY)('accepts the published proof from $old.size to $tree.size', (vector) => {
    const old = { ...vector.old, root: hash(vector.old.root) }
    const now = { ...vector.tree, root: hash(vector.tree.root) }
    expect(isConsistent(old, now, hashesOf(vector.proof))).toBe(true)
    const leaves = CT_TREE.leaves.map((hex) => leafHash(hexToBytes(hex)))
    const built = consistencyPath(old.size, now.size).map(({ start, end }) =>
      treeHash(leaves.slice(start, end)),
    )
    expect(built).toEqual(hashesOf(vector.proof))
  })

  const place = fc
    .integer({ min: 1, max: LEAVES.length })
    .chain((size) => fc.tuple(fc.integer({ min: 0, max: size - 1 }), fc.constant(size)))

  it('proves each leaf, and no proof survives a change', () => {
    forAll(place, fc.nat(), ([index, size], at) => {
      const proof = inclusionPath(index, size).map(rangeOf)
      const leaf = LEAVES[index] as Hash
      const is = (changed: Partial<{ index: number; leaf: Hash; size: number; proof: Hash[] }>) => {
        const all = { index, leaf, size, proof, ...changed }
        return isIncluded(all, { size: all.size, root: tree(size).root }, all.proof)
      }
      expect(is({})).toBe(true)
      expect(is({ leaf: flipped(leaf, at % 256) })).toBe(false)
      expect(is({ index: index + 1 })).toBe(false)
      expect(is({ index: -1 })).toBe(false)
      expect(is({ proof: [...proof, leaf] })).toBe(false)
      const wrong = at % Math.max(1, proof.length)
      if (proof.length > 0) {
        expect(is({ proof: proof.slice(1) })).toBe(false)
        expect(is({ proof: proof.slice(0, -1) })).toBe(false)
        expect(is({ proof: proof.with(wrong, flipped(proof[wrong] as Hash, at % 256)) })).toBe(
          false,
        )
      }
    })
  })

  it('proves that it begins with each smaller one, and no proof survives a change', () => {
    forAll(place, fc.nat(), ([before, size], at) => {
      const [old, now] = [tree(before + 1), tree(size)]
      const proof = consistencyPath(old.size, size).map(rangeOf)
      expect(isConsistent(old, now, proof)).toBe(true)
      expect(isConsistent(now, old, proof)).toBe(old.size === size)
      const bad = { ...old, root: flipped(old.root, at % 256) }
      expect(isConsistent(bad, now, proof)).toBe(false)
      expect(isConsistent(old, { ...now, root: flipped(now.root, at % 256) }, proof)).toBe(false)
      expect(isConsistent(old, now, [...proof, old.root])).toBe(false)
      const wrong = at % Math.max(1, proof.length)
      if (proof.length > 0) {
        expect(isConsistent(old, now, proof.slice(0, -1))).toBe(false)
        const altered = proof.with(wrong, flipped(proof[wrong] as Hash, at % 256))
        expect(isConsistent(old, now, altered)).toBe(false)
      }
    })
  })

  it('begins with the empty tree', () => {
    expect(isConsistent({ size: 0, root: EMPTY_ROOT }, tree(7), [])).toBe(true)
    expect(isConsistent({ size: 0, root: tree(1).root }, tree(7), [])).toBe(false)
  })
})

describe('the frontier', () => {
  it('has the root of the whole tree at every size, and continues from what it holds', () => {
    let frontier = new Frontier()
    for (const [index, leaf] of LEAVES.entries()) {
      expect(frontier.size).toBe(index)
      if (index % 37 === 0 || index % TILE_WIDTH < 2) {
        expect(frontier.root()).toEqual(tree(index).root)
        frontier = new Frontier(frontier.levels)
      }
      const full = frontier.append(leaf)
      const isFull = (index + 1) % TILE_WIDTH === 0
      expect(full).toEqual(
        isFull
          ? [
              {
                level: 0,
                index: Math.floor(index / TILE_WIDTH),
                width: TILE_WIDTH,
                root: treeHash(LEAVES.slice(index + 1 - TILE_WIDTH, index + 1)),
              },
            ]
          : [],
      )
    }
  })

  it('completes tiles of higher levels', () => {
    const root = LEAVES[0] as Hash
    const frontier = new Frontier([Array(255).fill(root), Array(255).fill(root)])
    expect(frontier.size).toBe(255 * 256 + 255)
    expect(frontier.append(root)).toMatchObject([
      { level: 0, index: 255 },
      { level: 1, index: 0 },
    ])
    expect([frontier.size, frontier.levels]).toEqual([65_536, [[], [], [frontier.root()]]])
  })
})
