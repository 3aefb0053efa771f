import { expect, it } from 'vitest'
import { isGain, showHundredths, showMultiplier } from '../../../src/money/multiplier.ts'

it('a multiplier is shown with two decimals, or the four it needs', () => {
  expect([2, 1.1379, 1000, 0].map(showMultiplier)).toEqual([
    '2.00x',
    '1.1379x',
    '1,000.00x',
    '0.00x',
  ])
})

it('a multiplier in hundredths is shown like any other', () => {
  expect([100, 235, 123_456].map(showHundredths)).toEqual(['1.00x', '2.35x', '1,234.56x'])
})

it('a bet or play is a win only if it pays more than its stake', () => {
  const paying = (payout: string) => isGain({ payout, amount: '1000' })
  expect(['1001', '1000', '500', '0'].map(paying)).toEqual([true, false, false, false])
})
