import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agreeTo, parseDecimal, toUnits } from '../../../src/money/decimal.ts'
import { forAll, forMany } from '../support/for-all.ts'

/** Returns a text's value in units of 10^-decimals, or null if it is not a whole number of them. */
function units(text: string, decimals: number): bigint | null {
  const decimal = parseDecimal(text)
  return decimal && toUnits(decimal, decimals)
}

const digits = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789')),
  minLength: 1,
  maxLength: 30,
})

const anyNumber = fc.record({
  sign: fc.constantFrom('', '-'),
  whole: digits.map((text) => BigInt(text).toString()),
  fraction: fc.option(digits, { nil: '' }),
  exponent: fc.option(fc.integer({ min: -40, max: 40 })),
  mark: fc.constantFrom('e', 'E', 'e+'),
})

describe('a decimal', () => {
  it('has exactly the value of its text, or is refused if it has too many decimals', () => {
    forMany(1_000, anyNumber, fc.nat(20), ({ sign, whole, fraction, exponent, mark }, decimals) => {
      const power =
        exponent === null ? '' : `${exponent < 0 ? mark.replace('+', '') : mark}${exponent}`
      const text = `${sign}${whole}${fraction && `.${fraction}`}${power}`
      // Everything is in units of 10^-100, the smallest used by any text here.
      const places = 100 + (exponent ?? 0) - fraction.length
      const exact = BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(places)
      const unit = 10n ** BigInt(100 - decimals)
      expect(units(text, decimals)).toBe(exact % unit === 0n ? exact / unit : null)
    })
  })

  it.each<[string, number, bigint | null]>([
    ['2', 2, 200n],
    ['2.5', 2, 250n],
    ['2.05', 2, 205n],
    ['2.050', 2, 205n],
    ['2.051', 2, null],
    ['1.01', 2, 101n],
    ['0.1', 18, 10n ** 17n],
    ['0.30000000000000004', 17, 30_000_000_000_000_004n],
    ['9007199254740993', 0, 9_007_199_254_740_993n],
    ['-1.5', 1, -15n],
    ['-1.55', 1, null],
    ['0', 2, 0n],
    ['-0', 2, 0n],
    ['-0.00', 0, 0n],
    ['0e99', 0, 0n],
    ['1e2', 2, 10_000n],
    ['1E+2', 2, 10_000n],
    ['25e-1', 2, 250n],
    ['25e-4', 2, null],
    ['1e-100', 2, null],
    ['1e100', 0, 10n ** 100n],
  ])('of "%s" with %i decimals is %s', (text, decimals, count) => {
    expect(units(text, decimals)).toBe(count)
  })

  it.each(['1e101', '1e-101', '1e999999999999', `1e${'9'.repeat(90)}`, `1e-${'9'.repeat(90)}`])(
    'with an excessive exponent is refused: %s',
    (text) => {
      expect(parseDecimal(text)).toBeNull()
    },
  )

  it('of more than a hundred characters is refused', () => {
    expect(parseDecimal('1'.repeat(100))?.digits).toBe(BigInt('1'.repeat(100)))
    expect(parseDecimal('1'.repeat(101))).toBeNull()
  })

  it.each([
    '',
    ' ',
    '.5',
    '5.',
    '+1',
    '--1',
    '1e',
    '1e1.5',
    '0x10',
    '1_000',
    '1,5',
    'NaN',
    'Infinity',
    '01',
    '-007',
  ])('that is not a valid JSON number is refused: "%s"', (text) => {
    expect(parseDecimal(text)).toBeNull()
  })

  it.each([' 1', '1 ', '1\n', '１'])(
    'with other characters around its digits is refused: %j',
    (text) => {
      expect(parseDecimal(text)).toBeNull()
    },
  )
})

describe('two decimals agree to twelve significant digits', () => {
  const agree = (a: string, b: string) => {
    const [first, second] = [parseDecimal(a), parseDecimal(b)]
    return first !== null && second !== null && agreeTo(12, first, second)
  }

  it.each<[string, string, boolean]>([
    ['0.30000000000000004', '0.3', true],
    ['-0.30000000000000004', '-0.3', true],
    ['123456789012.3', '123456789012.9', true],
    ['1e-18', '0.000000000000000001', true],
    ['1.00000000001', '1', false],
    ['1.000000000001', '1', true],
    ['0.999999999999', '1', false],
    ['0.9999999999999', '1', true],
    ['0.3', '-0.3', false],
    ['0', '0.0', true],
    ['-0', '0', true],
    ['0', '1e-18', false],
    ['1e-18', '2e-18', false],
    ['1e30', '1000000000000000000000000000000', true],
  ])('%s and %s: %s', (a, b, expected) => {
    expect(agree(a, b)).toBe(expected)
    expect(agree(b, a)).toBe(expected)
  })

  it('if one is the other’s nearest double', () => {
    forAll(fc.bigInt({ min: 1n, max: 10n ** 24n }), (wei) => {
      const double = parseDecimal(String(Number(wei) / 1e18))
      expect(double && agreeTo(12, double, { digits: wei, scale: 18 })).toBe(true)
    })
  })
})
