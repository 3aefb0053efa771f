import { expect, it } from 'vitest'
import { counted } from '../../../src/core/words.ts'

it('counts one in the singular and any other number in the plural', () => {
  const texts = [0, 1, 2, 1_234].map((count) => counted(count, 'bet'))
  expect(texts).toEqual(['0 bets', '1 bet', '2 bets', '1,234 bets'])
  expect([1, 2].map((count) => counted(count, 'box', 'boxes'))).toEqual(['1 box', '2 boxes'])
})
