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

it('floats of 32 bits change no chance by 3·10⁻⁸ of it or more, whichever tiles are picked', () => {
  const deviations = Array.from({ length: TILES - 1 }, (_, index) => index + 1).flatMap((mines) =>
    Array.from({ length: TILES - mines }, (_, index) => mostDeviation(mines, index + 1)),
  )
  expect(Math.max(...deviations)).toBeLessThan(3e-8)
})

/** The relative deviation of the chance that no mine is drawn among the picks, at most. */
function mostDeviation(mines: number, picks: number): number {
  let sum = 0
  for (let left = TILES; left > TILES - mines; left--) {
    // Of the tiles left, these are drawn by one float more than the others.
    const often = FLOATS % left
    const [more, fewer] = [1 - often / left, often / left]
    const above = Math.min(picks, often) * more - Math.max(0, picks - often) * fewer
    const seldom = left - often
    const below = Math.min(picks, seldom) * fewer - Math.max(0, picks - seldom) * more
    sum += (Math.max(above, below) / FLOATS) * (left / (left - picks))
  }
  return sum
}

const FLOATS = 2 ** 32
