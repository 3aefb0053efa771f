import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoundedCache } from '../../../../src/api/rpc-proxy/bounded-cache.ts'
import { forAll } from '../../support/for-all.ts'

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
