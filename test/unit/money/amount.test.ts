import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_AMOUNT_WEI, parseAmount } from '../../../src/money/amount.ts'
import { forAll } from '../support/for-all.ts'

describe('an amount', () => {
  it('is parsed from its canonical text', () => {
    forAll(fc.bigInt({ min: 0n, max: MAX_AMOUNT_WEI }), (amountWei) => {
      expect(parseAmount(amountWei.toString())).toBe(amountWei)
    })
  })

  it('is at most 2^256 - 1, the largest value a contract can hold', () => {
    const most = '115792089237316195423570985008687907853269984665640564039457584007913129639935'
    expect(parseAmount(most)).toBe(2n ** 256n - 1n)
    expect(parseAmount((2n ** 256n).toString())).toBeNull()
    expect(parseAmount('9'.repeat(78))).toBeNull()
    expect(parseAmount(`1${'0'.repeat(78)}`)).toBeNull()
  })

  it.each([
    '',
    '00',
    '01',
    '-1',
    '-0',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '１',
    'one',
  ])('has only one spelling: %j is refused', (text) => {
    expect(parseAmount(text)).toBeNull()
  })
})
