import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonNumber, mergeJson, writeJson } from '../../../src/core/json.ts'
import { forAll } from '../for-all.ts'

/** Objects without common keys: each key is prefixed with its object's index. */
const disjoint = fc
  .array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 })
  .map((objects) =>
    objects.map((object, index) =>
      Object.fromEntries(Object.entries(object).map(([key, value]) => [`k${index}${key}`, value])),
    ),
  )

describe('merged JSON texts', () => {
  it('equal the text of the merged object, byte for byte', () => {
    forAll(disjoint, (objects) => {
      const merged: unknown = Object.assign({}, ...objects)
      const texts = objects.map((object) => JSON.stringify(object))
      expect(mergeJson(...texts)).toBe(JSON.stringify(merged))
    })
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

describe('a number that keeps its source text', () => {
  it('is written unchanged', () => {
    const value = { exact: new JsonNumber('0.100000000000000000001'), list: [new JsonNumber('-7')] }
    expect(writeJson(value)).toBe('{"exact":0.100000000000000000001,"list":[-7]}')
  })
})
