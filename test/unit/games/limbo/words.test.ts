import { expect, it } from 'vitest'
import { words } from '../../../../src/games/limbo/words.ts'

it('the choice is described from the result', () => {
  expect(words.choice({ result: 1.5, target: 2 })).toBe('Target 2.00x')
})
