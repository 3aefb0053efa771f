import { expect, it } from 'vitest'
import { minesReturn } from '../../../../src/games/mines/returns.ts'
import { TILES } from '../../../../src/games/mines/rule.ts'
import { TERMS } from '../terms.ts'

it('the exact return is one minus the edge, for every number of mines and picks', () => {
  for (let mines = 1; mines < TILES; mines++) {
    for (let picks = 1; picks + mines <= TILES; picks++) {
      const picked = Array.from({ length: picks }, (_, tile) => tile)
      const { numerator, denominator } = minesReturn({ mines, picked }, TERMS)
      expect(numerator * 100n).toBe(denominator * 99n)
    }
  }
})
