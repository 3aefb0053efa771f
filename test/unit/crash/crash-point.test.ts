import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crashPointFromBits, crashPointOf } from '../../../src/crash/crash-point.ts'
import { first52Bits } from '../../../src/fairness/seed.ts'
import { MAX_MULTIPLIER } from '../../../src/money/multiplier.ts'
import { anySecret } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'
import { BUSTABIT } from '../support/vectors.ts'

const TWO_POW_52 = 2n ** 52n
const anyBits = fc.bigInt({ min: 0n, max: TWO_POW_52 - 1n })
const anyEdge = fc.integer({ min: 0, max: 5_000 })

/** Every hundredth up to 100x, and a thousand targets spread evenly across the orders of magnitude. */
function targets(): Set<number> {
  const dense = Array.from({ length: 9_900 }, (_, index) => 101 + index)
  const spread = Array.from({ length: 1_001 }, (_, index) =>
    Math.round(101 * (MAX_MULTIPLIER / 101) ** (index / 1_000)),
  )
  return new Set([...dense, ...spread])
}

describe('the map from bits to a crash point', () => {
  it.each(BUSTABIT.games)(
    "is bustabit's at an edge of 1 %: $crash hundredths",
    ({ hash, crash }) => {
      const digest = createHmac('sha256', BUSTABIT.salt).update(Buffer.from(hash, 'hex')).digest()
      expect(crashPointFromBits(first52Bits(digest), 100)).toBe(crash)
    },
  )

  it('never falls as the bits rise', () => {
    forAll(anyBits, anyBits, anyEdge, (a, b, edgeBps) => {
      const [lower, higher] = a < b ? [a, b] : [b, a]
      return crashPointFromBits(lower, edgeBps) <= crashPointFromBits(higher, edgeBps)
    })
  })

  it('starts at 1.00 and is capped at 1,000,000', () => {
    expect(crashPointFromBits(0n, 0)).toBe(100)
    expect(crashPointFromBits(0n, 100)).toBe(100)
    expect(crashPointFromBits(TWO_POW_52 - 1n, 100)).toBe(MAX_MULTIPLIER)
    expect(crashPointFromBits(TWO_POW_52 - 1n, 5_000)).toBe(MAX_MULTIPLIER)
  })

  /**
   * The map never falls, so every r from a first one upwards reaches the target. With the
   * first one at 2^52 - count, count of the 2^52 equally likely r win the target.
   */
  it.each([0, 1, 100, 500])('returns 1 - edge at every target, at an edge of %i bps', (edgeBps) => {
    const kept = BigInt(10_000 - edgeBps)
    const checked = targets()
    expect(checked.has(101) && checked.has(MAX_MULTIPLIER)).toBe(true)
    const wrong: number[] = []
    for (const target of checked) {
      const count = (kept * TWO_POW_52) / (100n * BigInt(target))
      const first = TWO_POW_52 - count
      const isExact =
        crashPointFromBits(first, edgeBps) >= target &&
        crashPointFromBits(first - 1n, edgeBps) < target
      // count / 2^52 · target / 100 against kept / 10000, all times 100 · 100 · 2^52.
      const returned = count * BigInt(target) * 100n
      const promised = kept * TWO_POW_52
      const isFair = returned <= promised && promised - returned < BigInt(target) * 100n
      if (!isExact || !isFair) wrong.push(target)
    }
    expect(wrong).toEqual([])
  })
})

describe('the crash point of a round', () => {
  it('follows from seed, round number, pepper and edge as published', () => {
    forAll(
      fc.record({ roundId: fc.nat(), seed: anySecret, pepper: anySecret, edgeBps: anyEdge }),
      (round) => {
        const digest = createHmac('sha256', Buffer.from(round.seed, 'hex'))
          .update(`crash:${round.roundId}:${round.pepper}`, 'utf8')
          .digest('hex')
        const bits = BigInt(`0x${digest.slice(0, 13)}`)
        return crashPointOf(round) === crashPointFromBits(bits, round.edgeBps)
      },
    )
  })

  it('changes with the seed, pepper or round number', () => {
    const round = { roundId: 1, seed: '01'.repeat(32), pepper: '02'.repeat(32), edgeBps: 100 }
    const others = [
      { ...round, roundId: 2 },
      { ...round, seed: '03'.repeat(32) },
      { ...round, pepper: '03'.repeat(32) },
    ]
    const crashes = [round, ...others].map(crashPointOf)
    expect(new Set(crashes).size).toBe(4)
  })
})
