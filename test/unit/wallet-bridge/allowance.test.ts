import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayAt } from '../../../src/core/utc-day.ts'
import { leftOf } from '../../../src/wallet-bridge/allowance.ts'
import { forAll } from '../support/for-all.ts'

describe('a partner’s remaining credit', () => {
  it.each([
    [0n, 0n, 100n],
    [60n, 0n, 40n],
    [60n, 25n, 65n],
    [100n, 0n, 0n],
    [130n, 0n, 0n],
    [0n, 50n, 150n],
  ])('after %s credited and %s debited of 100 a day is %s', (creditedWei, debitedWei, left) => {
    expect(leftOf({ creditedWei, debitedWei }, 100n)).toBe(left)
  })

  it('keeps the net credit within the limit', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n })
    forAll(amount, amount, amount, (creditedWei, debitedWei, limit) => {
      fc.pre(creditedWei - debitedWei <= limit)
      const left = leftOf({ creditedWei, debitedWei }, limit)
      expect(creditedWei + left - debitedWei).toBe(limit)
    })
  })

  it('is counted by UTC days', () => {
    expect(dayAt(Date.UTC(2026, 10, 21) - 1)).toBe(dayAt(Date.UTC(2026, 10, 20)))
    expect(dayAt(Date.UTC(2026, 10, 21))).toBe(dayAt(Date.UTC(2026, 10, 21, 23, 59, 59, 999)))
  })
})
