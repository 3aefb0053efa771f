import { describe, expect, it } from 'vitest'
import { auditOpenings } from '../../../src/audit/openings.ts'
import { HOUR_MS } from '../../../src/core/utc-day.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { paymentMessage, rollOf } from '../../../src/lootbox/prizes.ts'

const DAY = '2026-11-01'
const BEGINS_AT = Date.parse(DAY)
const SEED = '5e'.repeat(32)
const from = { txHash: `0x${'ab'.repeat(32)}`, blockHash: `0x${'cd'.repeat(32)}` }

/** Returns what is wrong with a paid opening under the seed of the day. @param openedAt in unix milliseconds */
function findingsAt(openedAt: number): string[] {
  const roll = Number(rollOf(SEED, paymentMessage(from.txHash, from.blockHash)))
  const drawn = { seed: SEED, seedHash: commitmentOf(SEED), roll, odds: [10_000], tier: 0 }
  const won = { wallet: '0x3', label: 'Low', prize: '1', asset: 'ETH' }
  const { findings } = auditOpenings([
    { id: from.txHash, from, day: DAY, openedAt, ...drawn, ...won },
  ])
  return findings.map(({ problem }) => problem)
}

describe('an exported opening of a payment', () => {
  it('may come on the day of its seed, or within the 24 hours in which the payment can be presented', () => {
    expect(findingsAt(BEGINS_AT)).toEqual([])
    expect(findingsAt(BEGINS_AT + 48 * HOUR_MS)).toEqual([])
  })

  it.each([
    ['before the day of its seed', BEGINS_AT - HOUR_MS],
    ['when no payment of that day was accepted any more', BEGINS_AT + 49 * HOUR_MS],
    ['weeks after its seed was published', BEGINS_AT + 480 * HOUR_MS],
  ])('is caught if it comes %s', (_when, openedAt) => {
    expect(findingsAt(openedAt)).toEqual([
      expect.stringContaining('a payment of 2026-11-01, the day of its seed, could be opened at'),
    ])
  })
})
