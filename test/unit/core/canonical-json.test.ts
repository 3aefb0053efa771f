import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../../src/core/canonical-json.ts'
import { forAll } from '../support/for-all.ts'

/** https://github.com/cyberphone/json-canonicalization, `testdata`: the test data of RFC 8785's author. */
const PUBLISHED: Record<string, [input: string, output: string]> = {
  'structures.json': [
    String.raw`{"1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { }, "111": [ { } ], "A": { }}`,
    String.raw`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}`,
  ],
  'values.json': [
    String.raw`{"numbers": [1E30, 4.50, 333333333.33333329, 2e-3, 0.000000000000000000000000001], "escaping": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
    String.raw`{"escaping":"€$\u000f\nA'B\"\\\\\"/","literals":[null,true,false],"numbers":[1e+30,4.5,333333333.3333333,0.002,1e-27]}`,
  ],
  'weird.json': [
    String.raw`{"\u20ac": "Euro Sign", "1": "One", "\u0080": "Control\u007f", "\ud83d\ude02": "Smiley", "\u00f6": "Latin Small Letter O With Diaeresis", "\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge"}`,
    '{"1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
}

describe('canonical JSON', () => {
  it.each(Object.entries(PUBLISHED))('is written as published in %s', (_name, [input, output]) => {
    expect(canonicalJson(JSON.parse(input) as Json)).toBe(output)
  })

  it('sorts the members of objects at every depth', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe(
      '{"a":"x","b":[{"c":null,"d":1}]}',
    )
  })

  it('writes the example of RFC 8785, section 3.2.2', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '€$\u000F\nA\'B"\\\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('sorts by UTF-16 code units, like the example of RFC 8785, section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '1': 'One',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    const names = [...canonicalJson(value).matchAll(/:"([^"]+)"/g)].map(([, name]) => name)
    expect(names).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  it('does not depend on the order of members, and is read back as the same value', () => {
    forAll(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(JSON.parse(text) as Json)).toBe(text)
    })
    expect(canonicalJson({ b: 1, a: 2 })).toBe(canonicalJson({ a: 2, b: 1 }))
  })

  it.each([NaN, Infinity, '\ud800', { '\udc00': 1 }, undefined, [undefined], 1n, Symbol('x')])(
    'does not exist for value %#',
    (value) => {
      expect(() => canonicalJson(value as Json)).toThrow(TypeError)
    },
  )
})
