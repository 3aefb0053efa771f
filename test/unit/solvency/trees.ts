import { bytesToHex } from '@noble/hashes/utils'
import * as fc from 'fast-check'
import { perToken, type PerToken } from '../../../src/money/token.ts'
import {
  leavesOf,
  packRecord,
  RECORD_BYTES,
  walletSaltOf,
  type Standing,
} from '../../../src/solvency/leaf.ts'
import { proofOf } from '../../../src/solvency/proof.ts'
import { ratioOf, type SolvencyProof, type Statement } from '../../../src/solvency/statement.ts'
import {
  CHUNK_LEAVES,
  siblingsIn,
  sortedBuckets,
  TreeBuilder,
} from '../../../src/solvency/sum-tree.ts'
import { NODE_BYTES, readNode, rootOf } from '../../../src/solvency/tree.ts'

export const KEY = new Uint8Array(32).fill(0x5a)
export const AT = 1_795_000_000_000

/** A wallet in a tree. */
export interface Member {
  wallet: string
  standing: Standing
}

const anyAmounts: fc.Arbitrary<PerToken<bigint>> = fc.record({
  ETH: fc.bigInt({ min: 0n, max: 2n ** 100n }),
  USDG: fc.bigInt({ min: 0n, max: 2n ** 100n }),
})

export const anyMembers: fc.Arbitrary<Member[]> = fc
  .uniqueArray(
    fc.record({
      wallet: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => `0x${bytesToHex(b)}`),
      standing: fc.record({
        seq: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        owed: anyAmounts,
        deposited: anyAmounts,
        withdrawn: anyAmounts,
      }),
    }),
    { selector: ({ wallet }) => wallet, maxLength: 20 },
  )
  .filter((members) => members.length > 0)

/** The nth wallet of a list that is large enough to have several chunks. */
export function memberAt(index: number, owedEth = BigInt(index)): Member {
  const amounts = { ETH: owedEth, USDG: 7n }
  const zero = perToken(() => 0n)
  return {
    wallet: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    standing: { seq: 10 + index, owed: amounts, deposited: amounts, withdrawn: zero },
  }
}

/** The vault that the statements of tests are about. */
export const VAULT = {
  chainId: 1,
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  usdg: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
}

/** Builds a tree in memory. @param bucketLeaves about as many leaves are sorted at once */
export function treeOf(epoch: number, records: Uint8Array, bucketLeaves?: number) {
  const unsorted = leavesOf(KEY, epoch, records)
  const count = unsorted.length / NODE_BYTES
  const [chunks, positions] = [new Array<Uint8Array>(), new Array<number>()]
  const builder = new TreeBuilder(count, (chunk, leaves) => (chunks[chunk] = leaves))
  const rows = () => [unsorted.subarray(0, NODE_BYTES), unsorted.subarray(NODE_BYTES)]
  for (const bucket of sortedBuckets(count, rows, bucketLeaves)) {
    for (const { leaf, index } of bucket) positions[index] = builder.add(leaf)
  }
  return { ...builder.end(), chunks, positions }
}

/** A service's statement about some members, with the proof of each of them by its index. */
export function publish(members: readonly Member[], epoch = 3, bucketLeaves?: number) {
  const records = new Uint8Array(members.length * RECORD_BYTES)
  for (const [index, { wallet, standing }] of members.entries()) {
    records.set(packRecord(wallet, standing), index * RECORD_BYTES)
  }
  const tree = treeOf(epoch, records, bucketLeaves)
  const owed = readNode(tree.top).sums
  const statement: Statement = {
    epoch,
    at: AT,
    root: bytesToHex(rootOf(epoch, tree.top)),
    leaves: members.length,
    owed: perToken((token) => owed[token].toString()),
    partners: { ETH: '0', USDG: '0' },
    vault: {
      holdings: perToken((token) => (owed[token] + 5n).toString()),
      blockNumber: 9,
      blockHash: `0x${'be'.repeat(32)}`,
    },
    contract: VAULT,
    ratio: perToken((token) => ratioOf(owed[token] + 5n, owed[token])),
  }
  const proofAt = (index: number): SolvencyProof => {
    const position = tree.positions[index] ?? 0
    const record = records.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES)
    const chunk = tree.chunks[Math.floor(position / CHUNK_LEAVES)] ?? new Uint8Array()
    return proofOf({
      epoch,
      record,
      index: position,
      top: tree.top,
      walletSalt: walletSaltOf(KEY, record.subarray(0, 20)),
      siblings: siblingsIn(chunk, tree.tops, members.length, position),
    })
  }
  return { statement, proofAt, tree }
}
