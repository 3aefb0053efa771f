import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../src/transparency/id-set.ts'
import { forAll } from '../support/for-all.ts'

describe('a set of ids', () => {
  it('takes each id once, in any order, also after it was stored', () => {
    const id = fc.oneof(fc.nat(30).map(String), fc.constantFrom('a', 'b', '007', '-1', '1.0'))
    forAll(fc.array(id), (ids) => {
      let set = new IdSet()
      const known = new Set<string>()
      for (const added of ids) {
        expect(set.add(added)).toBe(!known.has(added))
        known.add(added)
        set = new IdSet(set.stored())
      }
    })
  })

  it('stays small for numbers that follow each other', () => {
    const set = new IdSet()
    for (let number = 1; number <= 10_000; number++) set.add(String(number))
    expect(set.stored()).toEqual({ ranges: [[1, 10_000]], texts: [] })
  })
})
