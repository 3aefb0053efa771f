import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PackedReader, pushNumber, pushSigned } from '../../../src/ledger/packing.ts'
import { forAll } from '../support/for-all.ts'

/** The bytes of a number by the definition of LEB128. */
function leb128(number: bigint): number[] {
  const low = Number(number % 128n)
  return number < 128n ? [low] : [low + 128, ...leb128(number / 128n)]
}

/** Numbers of any length, and those next to where another byte begins. */
const numbers = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc
    .tuple(fc.integer({ min: 0, max: 37 }), fc.integer({ min: -1, max: 1 }))
    .map(([bytes, beside]) => 128n ** BigInt(bytes) + BigInt(beside)),
)

function packed(push: (bytes: number[], number: bigint) => void, number: bigint): number[] {
  const bytes: number[] = []
  push(bytes, number)
  return bytes
}

describe('a packed number', () => {
  it.each([
    // DWARF 5, section 7.6, and the example of 624485 that it is known for.
    [2n, [0x02]],
    [127n, [0x7f]],
    [128n, [0x80, 0x01]],
    [12_857n, [0xb9, 0x64]],
    [624_485n, [0xe5, 0x8e, 0x26]],
  ])('%d has the published bytes', (number, bytes) => {
    expect(packed(pushNumber, number)).toEqual(bytes)
  })

  it('has the bytes that LEB128 defines, and is read back', () => {
    forAll(numbers, (number) => {
      const bytes = packed(pushNumber, number)
      expect(bytes).toEqual(leb128(number))
      expect(new PackedReader(Uint8Array.from(bytes)).number()).toBe(number)
    })
  })

  it('of either sign is read back', () => {
    forAll(fc.tuple(numbers, fc.boolean()), ([size, isNegative]) => {
      const number = isNegative ? -size : size
      const bytes = packed(pushSigned, number)
      expect(new PackedReader(Uint8Array.from(bytes)).signed()).toBe(number)
    })
  })
})
