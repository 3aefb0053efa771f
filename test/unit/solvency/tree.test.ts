import { createHash, createHmac } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../src/solvency/bytes.ts'
import { packRecord, readRecord, walletSaltOf } from '../../../src/solvency/leaf.ts'
import { climbProof } from '../../../src/solvency/proof.ts'
import { CHUNK_LEAVES, MAX_WALLETS, TreeBuilder } from '../../../src/solvency/sum-tree.ts'
import {
  EMPTY_LEAF,
  nodeAt,
  packNode,
  parentOf,
  powerOfTwo,
  readNode,
} from '../../../src/solvency/tree.ts'
import { forAll, forMany } from '../support/for-all.ts'
import { anyMembers, KEY, memberAt, publish, type Member } from './trees.ts'

/** The tree once more, word for word from the published description and by another library. */
const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const big = (value: bigint, bytes: number) =>
  Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex')
interface PlainNode {
  hash: Buffer
  ETH: bigint
  USDG: bigint
}

function plainLeaf(epoch: number, { wallet, standing }: Member): PlainNode {
  const player = Buffer.from(wallet.slice(2), 'hex')
  const walletSalt = createHmac('sha256', KEY).update(player).digest()
  const salt = createHmac('sha256', walletSalt)
    .update(big(BigInt(epoch), 8))
    .digest()
  const { seq, owed, deposited, withdrawn } = standing
  const amounts = [owed, deposited, withdrawn].flatMap(({ ETH, USDG }) => [ETH, USDG])
  const hash = sha(
    big(0n, 1),
    salt,
    player,
    big(BigInt(epoch), 8),
    big(BigInt(seq), 8),
    ...amounts.map((amount) => big(amount, 16)),
  )
  return { hash, ...owed }
}

function plainRoot(epoch: number, members: readonly Member[]): string {
  let level = members
    .map((member) => plainLeaf(epoch, member))
    .sort((a, b) => Buffer.compare(a.hash, b.hash))
  while (Math.log2(level.length) % 1 !== 0) level.push({ hash: sha(big(0n, 1)), ETH: 0n, USDG: 0n })
  const sums = ({ ETH, USDG }: PlainNode) => [big(ETH, 16), big(USDG, 16)]
  while (level.length > 1) {
    level = level.flatMap((left, index) => {
      const right = level[index + 1]
      if (index % 2 === 1 || !right) return []
      const hash = sha(big(1n, 1), left.hash, ...sums(left), right.hash, ...sums(right))
      return [{ hash, ETH: left.ETH + right.ETH, USDG: left.USDG + right.USDG }]
    })
  }
  const [top] = level
  if (!top) throw new Error('a tree has a top')
  return sha(big(2n, 1), big(BigInt(epoch), 8), top.hash, ...sums(top)).toString('hex')
}

describe('the sum tree', () => {
  it('has the published root', () => {
    forAll(anyMembers, fc.integer({ min: 1, max: 2 ** 40 }), (members, epoch) => {
      expect(publish(members, epoch).statement.root).toBe(plainRoot(epoch, members))
    })
  })

  it('has the published root across chunks of leaves', () => {
    const members = Array.from({ length: 2 * CHUNK_LEAVES + 3 }, (_, index) => memberAt(index))
    expect(publish(members).statement.root).toBe(plainRoot(3, members))
  })

  it('proves every leaf, and sums all debts', () => {
    forAll(anyMembers, (members) => {
      const { statement, proofAt } = publish(members)
      for (const [index, { wallet }] of members.entries()) {
        expect(climbProof(wallet, 3, proofAt(index))).toMatchObject({
          root: statement.root,
          owed: statement.owed,
          top: proofAt(index).top,
        })
      }
      const sum = members.reduce((total, { standing }) => total + standing.owed.USDG, 0n)
      expect(statement.owed.USDG).toBe(sum.toString())
    })
  })

  it('proves leaves of every chunk', () => {
    const members = Array.from({ length: 2 * CHUNK_LEAVES + 3 }, (_, index) => memberAt(index))
    const { statement, proofAt } = publish(members)
    for (let index = 0; index < members.length; index += 97) {
      const climbed = climbProof(members[index]!.wallet, 3, proofAt(index))
      expect(climbed?.root).toBe(statement.root)
    }
  })

  it('does not depend on the order of the wallets', () => {
    forMany(20, anyMembers, (members) => {
      expect(publish(members.toReversed()).statement.root).toBe(publish(members).statement.root)
    })
  })

  it('sorts its leaves by their hashes', () => {
    forMany(20, anyMembers, (members) => {
      const [leaves = new Uint8Array()] = publish(members).tree.chunks
      for (let index = 1; index < members.length; index++) {
        const [some, next] = [nodeAt(leaves, index - 1), nodeAt(leaves, index)]
        expect(compareBytes(readNode(some).hash, readNode(next).hash)).toBeLessThan(0)
      }
    })
  })

  it('does not depend on how many leaves are sorted at once', () => {
    forAll(anyMembers, fc.integer({ min: 1, max: 9 }), (members, bucketLeaves) => {
      expect(publish(members, 3, bucketLeaves).tree).toEqual(publish(members).tree)
    })
    const members = Array.from({ length: 2 * CHUNK_LEAVES + 3 }, (_, index) => memberAt(index))
    expect(publish(members, 3, 100).tree).toEqual(publish(members).tree)
  })

  it('of no wallets is one empty leaf', () => {
    const { statement, tree } = publish([])
    expect(statement).toMatchObject({ leaves: 0, owed: { ETH: '0', USDG: '0' } })
    expect(bytesToHex(tree.top)).toBe(bytesToHex(EMPTY_LEAF))
    expect(bytesToHex(EMPTY_LEAF.subarray(0, 32))).toBe(sha(big(0n, 1)).toString('hex'))
  })

  it('refuses more wallets than fit in memory, and sums that do not fit in 16 bytes', () => {
    expect(() => new TreeBuilder(MAX_WALLETS + 1, () => {})).toThrow('at most 4194304 wallets')
    const half = packNode(new Uint8Array(32), { ETH: 2n ** 127n, USDG: 0n })
    expect(() => parentOf(half, half)).toThrow('below 2^128')
    expect(() => packNode(new Uint8Array(32), { ETH: 2n ** 128n, USDG: 0n })).toThrow('below')
    expect(() => packNode(new Uint8Array(32), { ETH: 0n, USDG: -1n })).toThrow('below')
  })

  it('gives each wallet and each epoch another salt', () => {
    const wallet = new Uint8Array(20).fill(1)
    expect(walletSaltOf(KEY, wallet)).not.toEqual(walletSaltOf(KEY, new Uint8Array(20).fill(2)))
    const [first, second] = [publish([memberAt(0)], 1), publish([memberAt(0)], 2)]
    expect(first.proofAt(0).walletSalt).toBe(second.proofAt(0).walletSalt)
    expect(first.proofAt(0).salt).not.toBe(second.proofAt(0).salt)
  })

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [1_024, 1_024],
    [1_025, 2_048],
  ])('pads %i leaves to %i', (leaves, size) => {
    expect(powerOfTwo(leaves)).toBe(size)
  })
})

describe("a wallet's record", () => {
  it('is read as it was packed, and never owes less than nothing', () => {
    forAll(anyMembers, (members) => {
      for (const member of members) {
        expect(readRecord(packRecord(...pair(member)))).toEqual(member.standing)
      }
    })
    const { wallet, standing } = memberAt(0)
    const negative = { ...standing, owed: { ETH: -5n, USDG: 7n } }
    expect(readRecord(packRecord(wallet, negative)).owed).toEqual({ ETH: 0n, USDG: 7n })
  })
})

function pair({ wallet, standing }: Member) {
  return [wallet, standing] as const
}
