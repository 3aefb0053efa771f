import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonNumber, mergeJson, writeJson } from '../../../src/core/json.ts'

/** Objects that share no key: those of each are prefixed with its place. */
const disjoint = fc
  .array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 })
  .map((objects) =>
    objects.map((object, index) =>
      Object.fromEntries(Object.entries(object).map(([key, value]) => [`k${index}${key}`, value])),
    ),
  )

describe('merged JSON texts', () => {
  it('are what is written of the merged object, byte for byte', () => {
    fc.assert(
      fc.property(disjoint, (objects) => {
        const merged: unknown = Object.assign({}, ...objects)
        const texts = objects.map((object) => JSON.stringify(object))
        expect(mergeJson(...texts)).toBe(JSON.stringify(merged))
      }),
    )
  })

  it.each([
    [[], '{}'],
    [['{}', '{}'], '{}'],
    [['{"a":1}', '{}'], '{"a":1}'],
    [['{}', '{"a":{}}', '{"b":[]}'], '{"a":{},"b":[]}'],
  ])('of %j are %s', (texts, expected) => {
    expect(mergeJson(...texts)).toBe(expected)
  })
})

describe('a number that keeps its source', () => {
  it('is written as it stood', () => {
    const value = { exact: new JsonNumber('0.100000000000000000001'), list: [new JsonNumber('-7')] }
    expect(writeJson(value)).toBe('{"exact":0.100000000000000000001,"list":[-7]}')
  })
})
