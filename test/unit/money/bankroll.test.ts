import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parts } from '../../../src/history/bankroll.ts'
import { withinBankroll } from '../../../src/money/bankroll.ts'
import { forAll } from '../for-all.ts'

const LIMITS = { min: '10', max: '1000', maxPayout: '100000', maxRoundPayout: '1000000' }
const limits = { ETH: LIMITS, USDG: LIMITS }
const bankroll = (ETH: bigint, USDG: bigint) => ({
  amounts: { ETH, USDG },
  payoutBps: 100,
  roundBps: 250,
})

describe('limits within a bankroll', () => {
  it('are as configured without a vault, or if the bankroll covers them', () => {
    expect(withinBankroll(limits, null)).toEqual(limits)
    expect(withinBankroll(limits, bankroll(10n ** 9n, 10n ** 9n))).toEqual(limits)
  })

  it('are shares of the bankroll if those are lower, separately for each token', () => {
    const bounded = withinBankroll(limits, bankroll(10n ** 9n, 50_000n))
    expect(bounded.ETH).toEqual(LIMITS)
    expect(bounded.USDG).toEqual({
      min: '10',
      max: '495',
      maxPayout: '500',
      maxRoundPayout: '1250',
    })
  })

  it('never rise, never risk more than the share, and accept no stake that cannot be paid out', () => {
    forAll(fc.bigInt({ min: 0n, max: 10n ** 12n }), (amount) => {
      const { max, maxPayout, maxRoundPayout } = withinBankroll(limits, bankroll(amount, 0n)).ETH
      expect(BigInt(maxPayout) * 100n <= amount).toBe(true)
      expect(BigInt(maxRoundPayout) * 40n <= amount).toBe(true)
      expect(BigInt(max) * 101n <= BigInt(maxPayout) * 100n || max === LIMITS.max).toBe(true)
      expect(BigInt(max) <= 1_000n && BigInt(maxPayout) <= 100_000n).toBe(true)
    })
  })
})

describe('an amount split into two parts', () => {
  it('equals their sum, and the low part is never negative', () => {
    forAll(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (amount) => {
      const [high, low] = parts(amount)
      expect(BigInt(high) * 10n ** 12n + BigInt(low)).toBe(amount)
      expect(BigInt(low) >= 0n && BigInt(low) < 10n ** 12n).toBe(true)
    })
  })
})
