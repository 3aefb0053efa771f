import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDecimal, toUnits } from '../../../src/money/decimal.ts'
import { DECIMALS, TOKENS } from '../../../src/money/token.ts'
import { wholeUnits } from '../../../src/money/whole-units.ts'
import { forAll } from '../support/for-all.ts'

describe('an amount in whole tokens', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000001'],
    [-1n, '-0.000001'],
    [1_000_000n, '1'],
    [1_500_000n, '1.5'],
    [-12_345_678n, '-12.345678'],
    [100_000_000_000n, '100000'],
  ])('%s smallest units of USDG are %s', (amountWei, text) => {
    expect(wholeUnits(amountWei, 'USDG')).toBe(text)
  })

  it('keeps all 18 decimals of ETH', () => {
    expect(wholeUnits(10n ** 18n + 1n, 'ETH')).toBe('1.000000000000000001')
  })

  it('is a JSON number that parses back to the same amount', () => {
    const amounts = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n })
    forAll(amounts, fc.constantFrom(...TOKENS), (amountWei, token) => {
      const text = wholeUnits(amountWei, token)
      expect(() => JSON.parse(text)).not.toThrow()
      const read = parseDecimal(text)
      expect(read && toUnits(read, DECIMALS[token])).toBe(amountWei)
    })
  })
})
