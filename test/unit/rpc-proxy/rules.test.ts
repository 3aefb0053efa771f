import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoundedCache } from '../../../src/api/rpc-proxy/bounded-cache.ts'
import { corsHeaders } from '../../../src/api/rpc-proxy/cors.ts'
import { inLanes } from '../../../src/api/rpc-proxy/lanes.ts'
import { isImmutable } from '../../../src/rpc-proxy/immutable.ts'
import { redact } from '../../../src/rpc-proxy/redact.ts'
import { forAll } from '../for-all.ts'

describe('an immutable result', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const holds = (method: string, params: unknown[], result: unknown) =>
    isImmutable({ method, params }, result)

  it('is a block requested by its hash', () => {
    expect(holds('eth_getBlockByHash', [hash, true], { hash })).toBe(true)
    expect(holds('eth_getBlockByHash', [hash.toUpperCase(), true], { hash })).toBe(true)
  })

  it('is not null or a block of another hash', () => {
    expect(holds('eth_getBlockByHash', [hash], null)).toBe(false)
    expect(holds('eth_getTransactionReceipt', [hash], { hash })).toBe(false)
    expect(holds('eth_getBlockByHash', [hash, true], { hash: `0x${'cd'.repeat(32)}` })).toBe(false)
    expect(holds('eth_getBlockByHash', [hash, true], {})).toBe(false)
    expect(holds('eth_getBlockByHash', [null], { hash: null })).toBe(false)
  })

  it.each([
    'eth_getBlockByNumber',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    'eth_getLogs',
    'eth_call',
    'eth_blockNumber',
  ])('is not a result of %s', (method) => {
    expect(holds(method, [hash], { hash })).toBe(false)
    expect(holds(method, [], '0x1')).toBe(false)
  })
})

describe('a bounded cache', () => {
  it('stays within its bounds for any entries, and keeps the newest', () => {
    const entry = fc.tuple(fc.string({ maxLength: 2 }), fc.string({ maxLength: 12 }))
    forAll(fc.array(entry), (entries) => {
      const cache = new BoundedCache(4, 20)
      const put = new Map<string, string>()
      for (const [key, text] of entries) {
        cache.set(key, text)
        put.set(key, text)
        expect(cache.get(key)).toBe(text)
        const kept = [...put].filter(([each]) => cache.get(each) !== undefined)
        expect(kept.length).toBeLessThanOrEqual(4)
        const chars = kept.reduce((sum, [each, its]) => sum + each.length + its.length, 0)
        expect(chars).toBeLessThanOrEqual(20)
        for (const [each, its] of kept) expect(cache.get(each)).toBe(its)
      }
    })
  })

  it('is still full after a long time', () => {
    const cache = new BoundedCache(4, 20)
    const keys = Array.from({ length: 90 }, (_, number) => `key${number + 10}`)
    for (const key of keys) cache.set(key, 'x')
    expect(keys.filter((key) => cache.get(key))).toEqual(['key97', 'key98', 'key99'])
  })

  it('rejects an entry that is too large', () => {
    const cache = new BoundedCache(4, 20)
    cache.set('a', 'small')
    cache.set('b', 'x'.repeat(20))
    expect([cache.get('a'), cache.get('b')]).toEqual(['small', undefined])
  })
})

describe('an upstream’s error message', () => {
  const upstream = 'https://user:password1@node.test:8545/v2/abcdef123456?apikey=qwertyuiop'
  const clean = (message: string) => redact({ code: 1, message }, upstream).message

  it.each([
    upstream,
    'https://elsewhere.test/x',
    'wss://node.test/v2/abcdef123456',
    'see https://node.test:8545/v2/abcdef123456, please',
    'dial tcp node.test:8545: refused',
    'lookup node.test: no such host',
    'key abcdef123456 is over its limit',
    'apikey=qwertyuiop',
  ])('does not reveal its URL: %s', (message) => {
    expect(clean(message)).not.toMatch(/:\/\/|node\.test|abcdef123456|qwertyuiop|password1/)
    expect(clean(message)).toContain('[removed]')
  })

  it.each(['execution reverted: Ownable: caller is not the owner', 'nonce too low: v2, v3'])(
    'is otherwise forwarded unchanged: %s',
    (message) => {
      expect(clean(message)).toBe(message)
    },
  )

  it('includes a contract’s revert data, and no other data', () => {
    const told = (data: unknown) => redact({ code: 3, message: 'no', data }, upstream)
    expect(told('0x08c379a0')).toEqual({ code: 3, message: 'no', data: '0x08c379a0' })
    for (const data of ['abcdef123456', { url: upstream }, [1], null]) {
      expect(told(data)).toEqual({ code: 3, message: 'no' })
    }
  })
})

describe('the origins allowed to read an answer', () => {
  const rules = { origins: ['https://partner.test'], siteOrigin: 'https://play.test' }

  it.each([
    ['https://partner.test', 'https://partner.test'],
    ['https://play.test', 'https://play.test'],
    ['https://evil.test', 'https://play.test'],
    ['https://partner.test.evil.test', 'https://play.test'],
    ['http://partner.test', 'https://play.test'],
    ['null', 'https://play.test'],
    [null, 'https://play.test'],
  ])('%s: %s', (origin, allowed) => {
    expect(corsHeaders(origin, rules)).toEqual({
      'access-control-allow-origin': allowed,
      vary: 'Origin',
    })
  })
})

describe('lanes', () => {
  it('run at most N tasks at a time, and keep the order', async () => {
    let running = 0
    let most = 0
    const results = await inLanes(3, [5, 1, 4, 2, 3, 0], async (ticks, index) => {
      most = Math.max(most, ++running)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      running--
      return index
    })
    expect(results).toEqual([0, 1, 2, 3, 4, 5])
    expect(most).toBe(3)
  })

  it('fail if one task fails', async () => {
    const failing = inLanes(2, [1, 2], () => Promise.reject(new Error('a fault')))
    await expect(failing).rejects.toThrow('a fault')
  })
})
