import * as fc from 'fast-check'
import { encodeAbiParameters, keccak256, sha256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { tierOfBox } from '../../../src/box-nft/tier.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { anySecret } from '../support/builders.ts'
import { forMany } from '../support/for-all.ts'

const TIERS = [
  { bps: 7_000, prize: 5n },
  { bps: 2_900, prize: 20n },
  { bps: 100, prize: 500n },
]

const ids = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe('a box', () => {
  it('has the tier given by Solidity’s own encoding and hash', () => {
    forMany(500, ids, anySecret, (boxId, pepper) => {
      const types = [{ type: 'uint256' }, { type: 'bytes32' }] as const
      const hash = keccak256(encodeAbiParameters(types, [boxId, `0x${pepper}`]))
      const value = Number(BigInt(hash) % 10_000n)
      const tier = value < 7_000 ? 0 : value < 9_900 ? 1 : 2
      expect(tierOfBox(boxId, pepper, TIERS)).toBe(tier)
    })
  })

  it('is committed to by the SHA-256 of its pepper’s bytes', () => {
    const pepper = 'b0'.repeat(32)
    expect(`0x${commitmentOf(pepper)}`).toBe(sha256(`0x${pepper}`))
  })
})
