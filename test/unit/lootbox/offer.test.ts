import { describe, expect, it } from 'vitest'
import { GRACE_MS, offerFor, type DatedOffer } from '../../../src/lootbox/offer.ts'

const NOON = Date.UTC(2026, 5, 1, 12)
const [POOL, PRICE] = ['0xPool', 100n]

const offered = (since: number, price: bigint, label: string): DatedOffer => ({
  since,
  offer: {
    pool: POOL,
    price: `${price}`,
    prizes: [{ bps: 10_000, label, asset: 'ETH', amountWei: '1' }],
  },
})
const paid = (paidAt: number, valueWei = PRICE) => ({ to: '0xpOOL', valueWei, paidAt })
const labelOf = (offers: DatedOffer[], payment: ReturnType<typeof paid>) =>
  offerFor(offers, payment)?.prizes[0]?.label

describe('a payment for the lootbox', () => {
  const sameprice = [
    offered(0, PRICE, 'morning'),
    offered(NOON, PRICE, 'noon'),
    offered(NOON + 2 * GRACE_MS, PRICE, 'evening'),
  ]

  it('is matched to the offer at its block’s time', () => {
    expect(labelOf(sameprice, paid(NOON - 1))).toBe('morning')
    expect(labelOf(sameprice, paid(NOON))).toBe('noon')
    expect(labelOf(sameprice, paid(NOON + 2 * GRACE_MS - 1))).toBe('noon')
    expect(labelOf(sameprice, paid(NOON + 9 * GRACE_MS))).toBe('evening')
  })

  const dearer = [offered(0, PRICE, 'cheap'), offered(NOON, 2n * PRICE, 'dear')]

  it('at the previous price is valid for ten minutes after a change, for the previous offer', () => {
    expect(labelOf(dearer, paid(NOON))).toBe('cheap')
    expect(labelOf(dearer, paid(NOON + GRACE_MS))).toBe('cheap')
    expect(labelOf(dearer, paid(NOON + GRACE_MS + 1))).toBe('dear')
  })

  it('at the next price is valid only if the block’s clock is behind', () => {
    expect(labelOf(dearer, paid(NOON - 60_000, 2n * PRICE))).toBe('dear')
    expect(labelOf(dearer, paid(NOON - 60_001, 2n * PRICE))).toBe('cheap')
  })

  it('at a price that was offered twice is for the latest offer at that price', () => {
    const back = [...dearer, offered(NOON + 1_000, PRICE, 'cheap again')]
    expect(labelOf(back, paid(NOON + 2_000))).toBe('cheap again')
    expect(labelOf(back, paid(NOON + 2_000, 2n * PRICE))).toBe('dear')
  })

  it('to another pool is for that pool’s offer', () => {
    const moved = dearer.map(({ since, offer }) =>
      since === NOON
        ? { since, offer: { ...offer, pool: '0xnew', price: `${PRICE}` } }
        : { since, offer },
    )
    expect(labelOf(moved, paid(NOON + 1))).toBe('cheap')
    expect(labelOf(moved, { ...paid(NOON + 1), to: '0xNEW' })).toBe('dear')
    expect(offerFor(moved, { ...paid(NOON + 1), to: null })?.pool).toBe('0xnew')
  })

  it('made before any offer is checked against the first offer', () => {
    const [, later] = dearer
    expect(labelOf([later!], paid(NOON - GRACE_MS))).toBe('dear')
    expect(offerFor([], paid(NOON))).toBeNull()
  })
})
