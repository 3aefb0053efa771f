import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outOfOrder } from '../../../src/verify/journal-order.ts'
import { forAll } from '../support/for-all.ts'

const anyEntries = fc.array(fc.record({ seq: fc.nat({ max: 6 }), from: fc.nat({ max: 6 }) }), {
  maxLength: 8,
})

describe('the entries of a journal', () => {
  it('contradict each other if one was made later than another one, under no higher number', () => {
    const [earlier, later] = [
      { seq: 12, from: 1 },
      { seq: 1, from: 2 },
    ]
    expect(outOfOrder([later, { seq: 13, from: 3 }, earlier])).toEqual([[earlier, later]])
    expect(outOfOrder([{ ...later, seq: 12 }, earlier])).toHaveLength(1)
  })

  it('may have any order within one time', () => {
    const at = (seq: number) => ({ seq, from: 1 })
    expect(outOfOrder([at(2), at(1), at(2)])).toEqual([])
  })

  it('are in order only if no two of them contradict each other', () => {
    forAll(anyEntries, (entries) => {
      const isWrong = entries.some((one) =>
        entries.some((other) => one.from < other.from && one.seq >= other.seq),
      )
      expect(outOfOrder(entries).length > 0).toBe(isWrong)
    })
  })
})
