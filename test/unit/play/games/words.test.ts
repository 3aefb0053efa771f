import { expect, it } from 'vitest'
import { showChance } from '../../../../src/play/games/words.ts'

it('a chance is shown to four digits, however small', () => {
  expect([0.495, 0.00000187].map(showChance)).toEqual(['49.5%', '0.000187%'])
})
