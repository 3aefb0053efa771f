import { expect, it } from 'vitest'
import { words } from '../../../../src/games/keno/words.ts'

it('the choice is described from the result', () => {
  const draws = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  expect(words.choice({ draws, picks: [7, 40], hits: 1, risk: 'classic' })).toBe(
    'Numbers 7, 40, classic risk',
  )
})
