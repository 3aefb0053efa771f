import { expect, it } from 'vitest'
import { isGain, showChance } from '../../../../src/play/games/words.ts'

it('a chance is shown to four digits, however small', () => {
  expect([0.495, 0.00000187].map(showChance)).toEqual(['49.5%', '0.000187%'])
})

it('a play is a win only if it pays more than its stake', () => {
  const paying = (payout: string) => isGain({ payout, amount: '1000' })
  expect(['1001', '1000', '500', '0'].map(paying)).toEqual([true, false, false, false])
})
