import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logParams, parseQuantity, readLogFilter } from '../../../src/rpc-proxy/log-range.ts'
import { forAll } from '../support/for-all.ts'

function read(filter: unknown) {
  const found = readLogFilter([filter])
  return 'error' in found ? found.error.code : found
}

describe('the eth_getLogs filter', () => {
  it('defaults to the latest block', () => {
    const latest = { fields: {}, range: { from: 'latest', to: 'latest' } }
    expect(read({})).toEqual(latest)
    expect(read({ fromBlock: null, toBlock: undefined })).toEqual(latest)
  })

  it.each(['latest', 'safe', 'finalized', 'pending', 'earliest'])('knows the tag %s', (tag) => {
    expect(read({ fromBlock: tag, toBlock: '0xA' })).toMatchObject({
      range: { from: tag, to: 10n },
    })
  })

  it.each([1, '1', '0x', '0x01', '0xg', 'Latest', '', {}, [], true, `0x1${'0'.repeat(16)}`])(
    'rejects the block %j',
    (block) => {
      expect(read({ fromBlock: block })).toBe(-32602)
      expect(read({ toBlock: block })).toBe(-32602)
    },
  )

  it('is forwarded with its known fields, spelled canonically', () => {
    const filter = { address: '0xa', topics: [null], FROMBLOCK: '0x0', fromblock: '0x0', limit: 1 }
    expect(read(filter)).toMatchObject({ fields: { address: '0xa', topics: [null] } })
    expect(read(filter)).not.toHaveProperty('fields.FROMBLOCK')
    expect(read(filter)).not.toHaveProperty('fields.limit')
  })

  it('names one block by its hash or a range, not both', () => {
    const blockHash = `0x${'b'.repeat(64)}`
    expect(read({ blockHash, topics: [] })).toEqual({
      fields: { blockHash, topics: [] },
      range: null,
    })
    expect(read({ blockHash, fromBlock: '0x1' })).toBe(-32602)
    expect(read({ blockHash, toBlock: 'latest' })).toBe(-32602)
    for (const wrong of ['0xb', '', 'latest', 0, false, {}]) {
      expect(read({ blockHash: wrong })).toBe(-32602)
    }
  })

  it.each([null, 'latest', [], 1])('is an object, not %j', (filter) => {
    expect(read(filter)).toBe(-32602)
  })
})

describe('a range of blocks', () => {
  const filter = { fields: { topics: [] }, range: { from: 'latest', to: 'latest' } } as const

  it('may end at most 2,000 blocks after its beginning', () => {
    expect(logParams(filter, 10n, 2_010n)).toEqual([
      { topics: [], fromBlock: '0xa', toBlock: '0x7da' },
    ])
    expect(logParams(filter, 10n, 2_011n)).toMatchObject({ error: { code: -32602 } })
  })

  it('does not go backwards', () => {
    expect(logParams(filter, 10n, 10n)).toHaveLength(1)
    expect(logParams(filter, 10n, 9n)).toMatchObject({ error: { code: -32602 } })
  })

  it('is requested exactly as it was checked', () => {
    const block = fc.bigInt(0n, 2n ** 64n - 1n)
    forAll(block, block, (from, to) => {
      const bounded = logParams(filter, from, to)
      const isSound = from <= to && to - from <= 2_000n
      expect(Array.isArray(bounded)).toBe(isSound)
      if (!Array.isArray(bounded)) return
      const [asked] = bounded as [{ fromBlock: string; toBlock: string }]
      expect([parseQuantity(asked.fromBlock), parseQuantity(asked.toBlock)]).toEqual([from, to])
    })
  })
})
