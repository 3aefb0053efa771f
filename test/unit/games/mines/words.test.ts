import { expect, it } from 'vitest'
import { words } from '../../../../src/games/mines/words.ts'

it('a lost play names the tiles with mines, numbered as on the wire', () => {
  expect(words.result({ mines: [3, 7], picked: [0, 7] })).toBe('Mine under tile 7')
  expect(words.result({ mines: [3, 7], picked: [3, 7] })).toBe('Mines under tiles 3, 7')
  expect(words.result({ mines: [3, 7], picked: [1] })).toBe('No mine under your tile')
})

it('the choice is described from the result', () => {
  expect(words.choice({ mines: [3], picked: [0, 24] })).toBe('1 mine, tiles 0, 24')
})
