import { createHash, createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commitmentOf, first52Bits, hmacOf, macOf } from '../../../src/fairness/seed.ts'
import { anySecret } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'
import { RFC_4231, SHA256_OF_32_BYTES } from '../support/vectors.ts'

describe('a commitment', () => {
  it('is sha256 of the 32 bytes, as published by NIST', () => {
    expect(commitmentOf(SHA256_OF_32_BYTES.message)).toBe(SHA256_OF_32_BYTES.digest)
  })

  it('matches another implementation', () => {
    forAll(anySecret, (secret) => {
      const digest = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex')
      expect(commitmentOf(secret)).toBe(digest)
    })
  })
})

describe('the HMAC of a message', () => {
  it.each(RFC_4231)('matches RFC 4231 for "$data"', ({ key, data, digest }) => {
    expect(Buffer.from(hmacOf(key, data)).toString('hex')).toBe(digest)
  })

  it('matches another implementation, for any text', () => {
    forAll(anySecret, fc.string({ unit: 'grapheme' }), (seed, message) => {
      const digest = createHmac('sha256', Buffer.from(seed, 'hex')).update(message, 'utf8').digest()
      expect(Buffer.from(hmacOf(seed, message))).toEqual(digest)
    })
  })
})

describe('the HMAC of many messages with one seed', () => {
  it('is that of each message alone', () => {
    forAll(anySecret, fc.array(fc.string({ unit: 'grapheme' })), (seed, messages) => {
      const mac = macOf(seed)
      for (const message of messages) expect(mac(message)).toEqual(hmacOf(seed, message))
    })
  })
})

describe('the first 52 bits', () => {
  it('are the first thirteen hex digits', () => {
    const digest = Buffer.from('0123456789abcdef'.repeat(4), 'hex')
    expect(first52Bits(digest)).toBe(0x0123456789abcn)
  })

  it('range from 0 to 2^52 - 1', () => {
    expect(first52Bits(new Uint8Array(32))).toBe(0n)
    expect(first52Bits(new Uint8Array(32).fill(255))).toBe(2n ** 52n - 1n)
  })
})
