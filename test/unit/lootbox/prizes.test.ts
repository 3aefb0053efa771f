import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  expectedValue,
  paymentMessage,
  rollOf,
  tierOfRoll,
  type PrizeTier,
} from '../../../src/lootbox/prizes.ts'
import { mostFor } from '../../../src/relayer/prize.ts'
import { forAll } from '../support/for-all.ts'

const TWO_POW_52 = 2n ** 52n

/** Tables whose bps sum to 10000. */
const tables = fc
  .uniqueArray(fc.integer({ min: 1, max: 9_999 }), { maxLength: 15 })
  .map((cuts) => [0, ...cuts.toSorted((a, b) => a - b), 10_000])
  .map((cuts) => cuts.slice(1).map((cut, index) => ({ bps: cut - (cuts[index] ?? 0) })))

/** The number of rolls, out of 2^52, in a tier: from its first roll to the next tier's first roll. */
function rollsOf(prizes: { bps: number }[], tier: number): bigint {
  const first = (bps: bigint) => (bps * TWO_POW_52 + 9_999n) / 10_000n
  const below = prizes.slice(0, tier).reduce((sum, { bps }) => sum + BigInt(bps), 0n)
  return first(below + BigInt(prizes[tier]?.bps ?? 0)) - first(below)
}

describe('a roll', () => {
  it('is the first 52 bits of an HMAC that anyone can compute', () => {
    const seed = '5e'.repeat(32)
    const message = paymentMessage(`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`)
    const digest = createHmac('sha256', Buffer.from(seed, 'hex')).update(message).digest('hex')
    expect(rollOf(seed, message)).toBe(BigInt(`0x${digest.slice(0, 13)}`))
  })

  it('has exactly one tier in any table', () => {
    forAll(tables, fc.bigInt({ min: 0n, max: TWO_POW_52 - 1n }), (prizes, roll) => {
      const tier = tierOfRoll(roll, prizes)
      expect(tier >= 0 && tier < prizes.length).toBe(true)
    })
  })

  it('changes its tier exactly at the published chance', () => {
    forAll(tables, (prizes) => {
      let first = 0n
      prizes.forEach(({ bps }, tier) => {
        const rolls = rollsOf(prizes, tier)
        expect(tierOfRoll(first, prizes)).toBe(tier)
        expect(tierOfRoll(first + rolls - 1n, prizes)).toBe(tier)
        // As close to the chance as a whole number of rolls allows.
        const off = rolls * 10_000n - BigInt(bps) * TWO_POW_52
        expect(off > -10_000n && off < 10_000n).toBe(true)
        first += rolls
      })
      expect(first).toBe(TWO_POW_52)
    })
  })
})

describe('the average prize of an opening', () => {
  it('is exact for each asset', () => {
    const prize = (bps: number, asset: string, amountWei: string): PrizeTier => ({
      bps,
      label: 'x',
      asset,
      amountWei,
    })
    const prizes = [prize(1, 'ETH', '1'), prize(9_000, 'REWARD', '7'), prize(999, 'ETH', '10')]
    expect(expectedValue(prizes)).toEqual({ ETH: '0.9991', REWARD: '6.3' })
  })
})

describe('the maximum cost of a stock', () => {
  it('is the price plus slippage, rounded up', () => {
    const price = { price: 4_000_000_000_000_000n, priceDecimals: 18, slippageBps: 300 }
    expect(mostFor(2n * 10n ** 18n, 18, price)).toBe(8_240_000_000_000_000n)
    expect(mostFor(1n, 18, price)).toBe(1n)
    expect(mostFor(5_000_000n, 6, { price: 200_000_000n, priceDecimals: 8, slippageBps: 0 })).toBe(
      10n ** 19n,
    )
  })
})
