import { describe, expect, it } from 'vitest'
import { expectedValue } from '../../../../src/lootbox/prizes.ts'
import { shareOf, worthOf } from '../../../../src/play/lootbox/worth.ts'

const PRICES = { STK: { weiPerUnit: '4000000000000000', feed: '0xfeed', at: 0 } }
const PRICE = '10000000000000000'

const prize = (bps: number, asset: string, amount: bigint, decimals = 18) => ({
  bps,
  label: '',
  asset,
  prize: String(amount),
  amountWei: String(amount),
  decimals,
})

describe('the worth of a prize', () => {
  it('follows from the feed’s price of a whole unit, in any number of decimals', () => {
    expect(worthOf(prize(1, 'STK', 2n * 10n ** 18n), PRICES)).toBe(8n * 10n ** 15n)
    expect(worthOf(prize(1, 'STK', 2n * 10n ** 8n, 8), PRICES)).toBe(8n * 10n ** 15n)
  })

  it('is unknown without a price, and not approximate for ETH', () => {
    expect(worthOf(prize(1, 'REWARD', 10n ** 18n), PRICES)).toBeNull()
    expect(worthOf(prize(1, 'ETH', 10n ** 18n), PRICES)).toBeNull()
  })
})

describe('the return of an opening', () => {
  const share = (prizes: ReturnType<typeof prize>[]) => {
    const told = shareOf(expectedValue(prizes), { prizes, prices: PRICES, priceWei: PRICE })
    const { numerator, denominator } = told.share
    return { ...told, share: Number((numerator * 100_000n) / denominator) / 100_000 }
  }

  it('is exact if every prize is in ETH', () => {
    const prizes = [prize(9_999, 'ETH', 9_000_000_000_000_001n), prize(1, 'ETH', 0n)]
    const { share: part, isExact, unpriced } = share(prizes)
    expect([isExact, unpriced]).toEqual([true, []])
    expect(part).toBeCloseTo(0.89991, 12)
  })

  it('is approximate if a feed prices some of it', () => {
    const prizes = [prize(5_000, 'ETH', 10n ** 16n), prize(5_000, 'STK', 10n ** 18n)]
    expect(share(prizes)).toEqual({ share: 0.7, isExact: false, unpriced: [] })
  })

  it('names what it leaves out', () => {
    const prizes = [prize(5_000, 'REWARD', 10n ** 18n), prize(5_000, 'ETH', 10n ** 16n)]
    expect(share(prizes)).toEqual({ share: 0.5, isExact: false, unpriced: ['REWARD'] })
  })
})
