import { expect, it } from 'vitest'
import { showHundredths, showMultiplier } from '../../../src/money/multiplier.ts'

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
