import { describe, expect, it } from 'vitest'
import { signingKey } from '../../../src/receipts/key.ts'

const OLD = { nbf: 1_000, exp: 3_000, d: 'old' }
const NEW = { nbf: 2_000, d: 'new' }

describe('the key that signs', () => {
  it.each([
    [1_999, OLD],
    [2_000, NEW],
    [3_001, NEW],
  ])('is, at %i, the newest one whose time has begun', (nowS, key) => {
    expect(signingKey([NEW, OLD], nowS)).toBe(key)
  })

  it('is the newest one before its time if no other may sign', () => {
    expect(signingKey([NEW], 1_500)).toBe(NEW)
    expect(signingKey([NEW, { ...OLD, exp: 1_400 }], 1_500)).toBe(NEW)
    expect(signingKey([NEW, { nbf: 1_000, exp: 3_000 }], 1_500)).toBe(NEW)
  })

  it('is none without keys', () => {
    expect(signingKey([], 1_500)).toBeNull()
  })
})
