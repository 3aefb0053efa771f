import { assert, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runUp } from '../../../../../src/play/games/limbo/run-up.ts'

describe('a number that runs up', () => {
  it('starts at 1.00, never falls, and reaches its target in less than a second', () => {
    assert(
      property(integer({ min: 100, max: 100_000_000 }), (result) => {
        const shown = [0, 100, 300, 600, 899, 900].map((ms) => runUp(result, ms))
        expect(shown[0]).toBe(100)
        expect(shown).toEqual(shown.toSorted((a, b) => a - b))
        expect(shown.at(-1)).toBe(result)
      }),
    )
  })
})
