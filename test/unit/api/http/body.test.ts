import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJsonObject } from '../../../../src/api/http/body.ts'
import { JsonNumber, parseJson } from '../../../../src/core/json.ts'
import { utf8 } from '../../../../src/core/utf8.ts'
import { codeOf } from '../../support/builders.ts'
import { forAll, forMany } from '../../support/for-all.ts'

/** The parsed value, with its numbers plain again. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.source)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

function post(body: string | Uint8Array, contentType = 'application/json'): Request {
  return new Request('http://play.example/', {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
  })
}

describe('JSON', () => {
  it('parses to the same value as with JSON.parse', () => {
    forMany(500, fc.json(), fc.constantFrom(0, 2), (text, indent) => {
      const value: unknown = JSON.parse(text)
      expect(plain(parseJson(JSON.stringify(value, null, indent)))).toEqual(value)
    })
  })

  it.each([
    '1',
    '1.0',
    '-0',
    '1e2',
    '2.50',
    '0.1',
    '9007199254740993',
    '1e400',
    '123456789012345678901',
  ])('keeps the number %s as written', (source) => {
    expect(parseJson(`{"n":${source}}`)).toEqual({ n: new JsonNumber(source) })
    expect(parseJson(`[${source}]`)).toEqual([new JsonNumber(source)])
  })

  it.each(['', '{', '{"a":1,}', "{'a':1}", '{a:1}', '{"a":01}', '{"a":NaN}', '{}{}', 'undefined'])(
    'is refused if it is malformed: %s',
    (text) => {
      expect(parseJson(text)).toBeUndefined()
    },
  )
})

describe('a duplicate key', () => {
  it.each([
    ['with different values', '{"a":1,"a":2}'],
    ['with the same value', '{"a":1,"a":1}'],
    ['apart from each other', '{"a":1,"b":2,"a":1}'],
    ['in another spelling', '{"amountWei":"1","\\u0061mountWei":"2"}'],
    ['in another spelling of a quotation mark', '{"\\"":1,"\\u0022":2}'],
    ['with white space', '{ "a" : 1 ,\n "a" : 2 }'],
    ['in a nested object', '{"a":{"b":1,"b":2}}'],
    ['in an object in a list', '[{"a":1},{"b":1,"b":1}]'],
    ['around a nested object', '{"a":{"b":{}},"a":1}'],
    ['as the empty string', '{"":1,"":2}'],
    ['as __proto__', '{"__proto__":1,"__proto__":2}'],
  ])('is refused: %s', (_how, text) => {
    expect(parseJson(text)).toBeUndefined()
  })

  it.each([
    ['in two objects of a list', '[{"a":1},{"a":2}]'],
    ['outside and inside', '{"a":{"a":1}}'],
    ['as a key and as a value', '{"a":"b","b":"a"}'],
    ['in a string that looks like JSON', '{"a":"{\\"b\\":1,\\"b\\":2}","b":"}:{"}'],
    ['in upper and lower case', '{"a":1,"A":2}'],
  ])('is not reported: %s', (_how, text) => {
    expect(plain(parseJson(text))).toEqual(JSON.parse(text))
  })

  it('is found at any depth', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
    forAll(object, fc.nat(), fc.nat(), (value, which, where) => {
      const members = Object.entries(value).map(([key, each]) => {
        return `${JSON.stringify(key)}:${JSON.stringify(each)}`
      })
      const again = members[which % members.length] ?? ''
      expect(parseJson(`{${members.join()}}`)).toBeDefined()
      members.splice(where % (members.length + 1), 0, again)
      expect(parseJson(`{"in":[{${members.join()}}]}`)).toBeUndefined()
    })
  })
})

describe('a malicious body', () => {
  it.each(['[', '{"a":'])('is refused without a crash: 60,000 times %s', (opening) => {
    expect(parseJson(opening.repeat(60_000))).toBeUndefined()
  })

  it('of deep but valid nesting is accepted', () => {
    const text = '['.repeat(30_000) + ']'.repeat(30_000)
    expect(() => parseJson(text)).not.toThrow()
  })

  it('of one long string is accepted', () => {
    const long = 'a'.repeat(60_000)
    expect(parseJson(`{"a":"${long}"}`)).toEqual({ a: long })
    expect(parseJson(`{"a":"${'\\"'.repeat(30_000)}"}`)).toEqual({ a: '"'.repeat(30_000) })
    expect(parseJson(`{"a":"${long}`)).toBeUndefined()
  })

  it('cannot change object prototypes', () => {
    const parsed = parseJson(
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
    )
    const known: object = {}
    expect(known).not.toHaveProperty('admin')
    expect(parsed).not.toHaveProperty('admin')
    expect(Object.keys(parsed ?? {})).toEqual(['__proto__', 'constructor'])
  })
})

describe('a request body', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'is parsed if it is %s',
    async (contentType) => {
      expect(await readJsonObject(post('{"a":"b"}', contentType))).toEqual({ body: { a: 'b' } })
    },
  )

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'is refused unread if it is "%s"',
    async (contentType) => {
      const read = await readJsonObject(post('{"a":"b"}', contentType))
      expect(codeOf(read)).toBe('unsupported_media_type')
    },
  )

  it.each(['', 'null', '[]', '"a"', '1', 'true', '{', '{"a":1,"a":1}'])(
    'is refused if it is not an object: %s',
    async (body) => {
      expect(codeOf(await readJsonObject(post(body)))).toBe('invalid_request')
    },
  )

  it('is refused if it is not UTF-8', async () => {
    const body = Uint8Array.of(...utf8('{"a":"'), 0xff, ...utf8('"}'))
    expect(codeOf(await readJsonObject(post(body)))).toBe('invalid_request')
  })

  it('may begin with a byte-order mark', async () => {
    expect(await readJsonObject(post('\uFEFF{"a":"b"}'))).toEqual({ body: { a: 'b' } })
  })
})
