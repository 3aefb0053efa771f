import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { bisect, spreadSearch, SPREAD } from '../../../../durable-objects/ledger/search.ts'
import { SEGMENT_ENTRIES } from '../../../../src/ledger/capacity.ts'

const range = fc
  .tuple(
    fc.nat(40_000),
    fc.integer({ min: 0, max: SEGMENT_ENTRIES - 1 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([low, length, share]) => ({
    low,
    high: low + length,
    first: low + Math.round(length * share),
  }))

it('both searches find the first number that passes, as a look at each number does', () => {
  fc.assert(
    fc.property(range, ({ low, high, first }) => {
      const passes = (number: number) => number >= first
      expect(bisect(low, high, passes)).toBe(first)
      expect(spreadSearch(low, high, (numbers) => numbers, passes)).toBe(first)
    }),
    { numRuns: 2_000 },
  )
})

it('two looks of 128 numbers find each entry of a segment', () => {
  fc.assert(
    fc.property(range, ({ low, high, first }) => {
      const looks: (readonly number[])[] = []
      const readAll = (numbers: readonly number[]) => {
        looks.push(numbers)
        return numbers
      }
      spreadSearch(low, high, readAll, (number) => number >= first)
      expect(looks.length).toBeLessThanOrEqual(2)
      for (const numbers of looks) {
        expect(numbers.length).toBeGreaterThan(0)
        expect(numbers.length).toBeLessThanOrEqual(SPREAD)
        expect(numbers.every((number) => number >= low && number < high)).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

it('a transition is found even if the numbers pass in several stretches', () => {
  const flags = fc.array(fc.boolean(), { minLength: 1, maxLength: 600 })
  fc.assert(
    fc.property(flags, (passing) => {
      const all = [...passing, true]
      const found = spreadSearch(
        0,
        all.length - 1,
        (numbers) => numbers,
        (number) => all[number] === true,
      )
      expect(all[found]).toBe(true)
      expect(found === 0 || !all[found - 1]).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})
