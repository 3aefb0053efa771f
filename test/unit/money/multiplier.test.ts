import { expect, it } from 'vitest'
import { showMultiplier } from '../../../src/money/multiplier.ts'

it('a multiplier is shown with two decimals, or the four it needs', () => {
  expect([2, 1.1379, 1000, 0].map(showMultiplier)).toEqual([
    '2.00x',
    '1.1379x',
    '1,000.00x',
    '0.00x',
  ])
})
