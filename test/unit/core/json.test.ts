import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonNumber, mergeJson, parseJson, writeJson } from '../../../src/core/json.ts'
import { forAll } from '../support/for-all.ts'

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

describe('a JSON text', () => {
  it('is parsed like any other, except that numbers keep their source text', () => {
    forAll(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(writeJson(parseJson(text))).toBe(text)
    })
  })

  it.each([
    ['1e2', '1e2'],
    ['-0', '-0'],
    ['123456789012345678901', '123456789012345678901'],
    ['{"a":[1.0,{"b":0.10}],"__proto__":{"c":2}}', '{"a":[1.0,{"b":0.10}],"__proto__":{"c":2}}'],
    ['{"a":[1,{"b":0.1}],"__proto__":{"c":2}}', '{"a":[1,{"b":0.1}],"__proto__":{"c":2}}'],
    ['{"b":1,"1":[2,3]}', '{"1":[2,3],"b":1}'],
    [' { "a" : 1 } ', '{"a":1}'],
  ])('keeps the source of its numbers: %s', (text, written) => {
    expect(writeJson(parseJson(text))).toBe(written)
  })

  it.each([
    '{"a":1,"a":1}',
    '{"a":{"b":1},"a":{}}',
    '[{"a":1,"b":2,"a":3}]',
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"\":":1,"\":":2}`,
    '{"__proto__":1,"__proto__":2}',
  ])('with a key twice in one object is not parsed: %s', (text) => {
    expect(parseJson(text)).toBeUndefined()
  })

  it.each(['{"a":{"a":1}}', '[{"a":1},{"a":1}]', String.raw`{"a:":":","\"":"a:"}`])(
    'with a key in several objects, or colons in strings, is parsed: %s',
    (text) => {
      expect(JSON.stringify(parseJson(text), (_, value) => value?.source ?? value)).toBeDefined()
    },
  )

  it.each([
    String.raw`"\ud800"`,
    String.raw`{"id":"a\udc00b"}`,
    String.raw`{"\udfff\ud800":1}`,
    String.raw`["\ud83d"]`,
  ])('with a lone surrogate is not parsed: %j', (text) => {
    expect(parseJson(text)).toBeUndefined()
  })

  it('with any other character is parsed', () => {
    expect(parseJson(String.raw`{"\ud83d\udca5":"💥\u0000"}`)).toEqual({ '💥': '💥\u0000' })
  })
})
