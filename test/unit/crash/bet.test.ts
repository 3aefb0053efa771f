import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outcomeOf, targetOf } from '../../../src/crash/bet.ts'
import { MAX_MULTIPLIER, payoutOf } from '../../../src/money/multiplier.ts'
import { betOf, placement } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

describe('the forced cash-out of a bet', () => {
  it('is at its auto-cash-out if no limit comes first', () => {
    expect(targetOf(placement({ amountWei: 100n, autoCashout: 250 }), 100_000n)).toBe(250)
  })

  it('is null without an auto-cash-out or a limit within reach', () => {
    expect(targetOf(placement({ amountWei: 1n }), 1_000_000n)).toBeNull()
  })

  it('is at floor(maxPayout · 100 / amount) / 100 if its payout would exceed the limit', () => {
    expect(targetOf(placement({ amountWei: 3n }), 10n)).toBe(333)
    expect(targetOf(placement({ amountWei: 3n, autoCashout: 334 }), 10n)).toBe(333)
    expect(targetOf(placement({ amountWei: 3n, autoCashout: 333 }), 10n)).toBe(333)
    expect(targetOf(placement({ amountWei: 3n, autoCashout: 332 }), 10n)).toBe(332)
  })

  it('pays as much as the limit allows: one hundredth more would exceed it', () => {
    forAll(
      fc.bigInt({ min: 1n, max: 10n ** 21n }),
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
      (amountWei, maxPayout) => {
        const target = targetOf(placement({ amountWei }), maxPayout) ?? MAX_MULTIPLIER
        expect(payoutOf(amountWei, target) <= maxPayout).toBe(true)
        const isHighest = amountWei * BigInt(target + 1) > maxPayout * 100n
        expect(isHighest || target === MAX_MULTIPLIER).toBe(true)
      },
    )
  })
})

describe('the result of a bet', () => {
  const live = betOf()
  const cashedOut = betOf({ amountWei: 3n, cashout: 150, cashedOutAt: 1 })

  it('is unknown while the bet is live', () => {
    expect(outcomeOf(live, 'live')).toEqual({ kind: 'live' })
  })

  it('is a win from its cash-out on', () => {
    const won = { kind: 'won', multiplier: 150, payoutWei: '4' }
    expect(outcomeOf(cashedOut, 'live')).toEqual(won)
    expect(outcomeOf(cashedOut, 'crashed')).toEqual(won)
  })

  it('is a loss if the round crashed first', () => {
    expect(outcomeOf(live, 'crashed')).toEqual({ kind: 'lost' })
  })

  it('is a refund if the round was voided', () => {
    expect(outcomeOf(live, 'voided')).toEqual({ kind: 'voided' })
  })
})
