import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, writeJson } from '../../../src/core/json.ts'
import { writeAnswer } from '../../../src/rpc-proxy/protocol.ts'
import { readBody } from '../../../src/rpc-proxy/request.ts'
import { forAll } from '../support/for-all.ts'

/** The parsed form of each entry: the text of its id, and its method or its error's code. */
function read(text: string): unknown {
  const body = readBody(text)
  if ('error' in body) return body.error.code
  const entries = body.entries.map(({ id, asked }) => [
    id === undefined ? 'none' : writeJson(id),
    'error' in asked ? asked.error.code : asked.method,
  ])
  return body.isBatch ? entries : entries[0]
}

const call = '"jsonrpc":"2.0","method":"eth_chainId"'

describe('a body', () => {
  it.each<[string, string, unknown]>([
    ['one call', `{${call},"id":1}`, ['1', 'eth_chainId']],
    ['a batch of one', `[{${call},"id":1}]`, [['1', 'eth_chainId']]],
    ['a notification', `{${call}}`, ['none', 'eth_chainId']],
    ['no JSON', '{', -32700],
    ['nothing', '', -32700],
    ['a duplicate key', `{${call},"id":1,"id":2}`, -32700],
    ['an empty batch', '[]', -32600],
    ['a string', '"eth_chainId"', ['null', -32600]],
    ['a number', '1', ['null', -32600]],
    ['an entry that is a list', `[[{${call},"id":1}]]`, [['null', -32600]]],
    ['another version', '{"jsonrpc":"1.0","method":"eth_chainId","id":7}', ['7', -32600]],
    ['no version', '{"method":"eth_chainId","id":7}', ['7', -32600]],
    ['a method that is not a string', '{"jsonrpc":"2.0","method":1,"id":7}', ['7', -32600]],
    ['neither method nor id', '{"jsonrpc":"2.0"}', ['null', -32600]],
    ['an id that is an object', `{${call},"id":{}}`, ['null', -32600]],
    ['an id that is true', `{${call},"id":true}`, ['null', -32600]],
    ['parameters that are a string', `{${call},"id":7,"params":"a"}`, ['7', -32602]],
    ['parameters by name', `{${call},"id":7,"params":{"a":1}}`, ['7', -32602]],
    ['parameters that are null', `{${call},"id":7,"params":null}`, ['7', 'eth_chainId']],
    [
      'sound and unsound entries',
      `[1,{${call},"id":1},{${call}}]`,
      [
        ['null', -32600],
        ['1', 'eth_chainId'],
        ['none', 'eth_chainId'],
      ],
    ],
  ])('of %s', (_what, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it('has twenty calls at most', () => {
    const batch = (calls: number) => `[${Array(calls).fill(`{${call},"id":1}`).join()}]`
    expect(read(batch(20))).toHaveLength(20)
    expect(read(batch(21))).toBe(-32600)
  })

  it.each([1, 8, 9, 100])('is checked for parameters nested too deep: %i levels', (depth) => {
    const params = '['.repeat(depth) + ']'.repeat(depth)
    const expected = depth <= 8 ? 'eth_chainId' : -32602
    expect(read(`{${call},"id":1,"params":${params}}`)).toEqual(['1', expected])
  })

  it('of brackets alone does not throw', () => {
    const params = '['.repeat(30_000) + ']'.repeat(30_000)
    expect(() => read(`{${call},"id":1,"params":${params}}`)).not.toThrow()
  })
})

describe('a response', () => {
  it.each(['1', '-0', '1.0', '1e2', '9007199254740993', '1e400', '"1"', '"\\u0000"', 'null'])(
    'has the id %s exactly as requested',
    (id) => {
      const body = readBody(`{${call},"id":${id}}`)
      if ('error' in body) throw new Error('no body')
      expect(writeAnswer(body.entries[0]?.id ?? null, { result: '"0x1"' })).toBe(
        `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`,
      )
    },
  )

  it('is valid JSON for any id', () => {
    forAll(fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true })), (id) => {
      fc.pre(typeof id === 'string' || Number.isFinite(id))
      const body = readBody(`{${call},"id":${JSON.stringify(id)}}`)
      if ('error' in body) throw new Error('no body')
      const answer = writeAnswer(body.entries[0]?.id ?? null, { result: '{}' })
      expect(JSON.parse(answer).id).toEqual(JSON.parse(JSON.stringify(id)))
    })
  })
})

describe('JSON with its original numbers', () => {
  it('is written as it was read', () => {
    forAll(fc.json(), (text) => {
      const compact = JSON.stringify(JSON.parse(text))
      expect(writeJson(parseJson(compact))).toBe(compact)
    })
    expect(writeJson(parseJson('[1.0,1e400,-0,9007199254740993]'))).toBe(
      '[1.0,1e400,-0,9007199254740993]',
    )
  })
})
