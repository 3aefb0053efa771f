import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../src/core/base64.ts'
import { forAll } from '../support/for-all.ts'

describe('base64', () => {
  it.each([
    // RFC 4648, section 10.
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['foobar', 'Zm9vYmFy'],
  ])('of %j is %s', (text = '', encoded = '') => {
    expect(toBase64(new TextEncoder().encode(text))).toBe(encoded)
  })

  it('is read back', () => {
    forAll(fc.uint8Array(), (bytes) => {
      expect(fromBase64(toBase64(bytes))).toEqual(bytes)
    })
  })

  it.each(['Zg', 'Zg=', 'Zh==', 'Zm9v\n', ' Zm9v', 'Zm-_', '='])('is not %j', (text) => {
    expect(fromBase64(text)).toBeNull()
  })
})
