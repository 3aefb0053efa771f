import { assert, bigInt, constantFrom, property, stringMatching } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toUnits } from '../../../src/money/decimal.ts'
import { DECIMALS } from '../../../src/money/token.ts'
import { wholeUnits } from '../../../src/money/whole-units.ts'
import {
  ambiguityHint,
  localDecimal,
  localText,
  readDecimal,
  separatorsOf,
} from '../../../src/play/locale.ts'

const LOCALES = ['en', 'de', 'fr', 'de-CH', 'en-IN', 'hi', 'pt-BR', 'sv', 'es', 'ru', 'ja', 'ar']

/** Returns what a text means in a locale, as plain text of at most 18 decimals; null if it is refused. */
function meaning(text: string, locale: string): string | null {
  const number = readDecimal(text, separatorsOf(locale))
  const amountWei = number && toUnits(number, 18)
  return amountWei === null ? null : wholeUnits(amountWei, 'ETH')
}

/** Every number that a text can mean, whichever of the two signs separates decimals. */
function meanings(text: string): Set<string> {
  const found = ['.', ','].map((decimal) => {
    const group = decimal === '.' ? ',' : '.'
    const grouped = `(\\d+|[1-9]\\d{0,2}(\\${group}\\d{2,3})*\\${group}\\d{3}|)`
    const match = new RegExp(`^${grouped}(\\${decimal}(\\d*))?$`).exec(text)
    if (!match || !/\d/.test(text)) return null
    return `${Number(`${(match[1] ?? '').replaceAll(group, '') || '0'}.${match[4] ?? ''}0`)}`
  })
  return new Set(found.filter((number) => number !== null))
}

describe('a number as typed', () => {
  it.each([
    ['de', '0,5', '0.5'],
    ['de', '0.5', '0.5'],
    ['de', '0.125', '0.125'],
    ['de', '1,000', '1'],
    ['de', '1.234,5', '1234.5'],
    ['de', '1.234.567', '1234567'],
    ['de', '1.5000', '1.5'],
    ['en', '0.5', '0.5'],
    ['en', '0,5', '0.5'],
    ['en', '.5', '0.5'],
    ['en', '5.', '5'],
    ['en', '1.000', '1'],
    ['en', '1,234.5', '1234.5'],
    ['en', '007', '7'],
    ['fr', '1 234,5', '1234.5'],
    ['fr', '1 234', '1234'],
    ['de-CH', '1’234.5', '1234.5'],
    ['de-CH', "12'345'678.5", '12345678.5'],
    ['en-IN', '1,00,000.5', '100000.5'],
  ])('in %s, %o is %s', (locale, text, plain) => {
    expect(meaning(text, locale)).toBe(plain)
  })

  it.each([
    ['de', '1.000'],
    ['de', '12.500'],
    ['en', '1,000'],
    ['fr', '1.000'],
    ['en', '1.234,5'],
    ['de', '1,234.5'],
    ['en', '1,2,3'],
    ['en', '1.2.3'],
    ['en', '1 2'],
    ['en', '0 500'],
    ['en', '1,234 567'],
    ['en', '1.000 000'],
    ['fr', '1 234,567 890'],
    ['de', '1234 567'],
    ['de-CH', '1 234’'],
    ['en', '-1'],
    ['en', '1e3'],
    ['en', ''],
    ['en', '.'],
  ])('in %s, %o is refused', (locale, text) => {
    expect(meaning(text, locale)).toBeNull()
  })

  it('is explained if it could mean one or a thousand', () => {
    const german = separatorsOf('de')
    expect(ambiguityHint('1.000', german)).toContain('without a thousands separator')
    for (const text of ['1,000', '0.125', '1.5', '1', '']) {
      expect(ambiguityHint(text, german)).toBe('')
    }
  })

  it('in every locale reads back what the page shows', () => {
    const amount = bigInt({ min: 1n, max: 10n ** 27n })
    assert(
      property(amount, constantFrom(...LOCALES), (amountWei, locale) => {
        const plain = wholeUnits(amountWei, 'ETH')
        expect(meaning(localDecimal(plain, separatorsOf(locale)), locale)).toBe(plain)
      }),
    )
  })

  it('in every locale reads back a grouped number with decimals', () => {
    const amount = bigInt({ min: 1n, max: 10n ** 15n })
    assert(
      property(amount, constantFrom(...LOCALES), (amountWei, locale) => {
        const plain = `${wholeUnits(amountWei, 'USDG').split('.')[0]}.5`
        const format = new Intl.NumberFormat(locale, {
          numberingSystem: 'latn',
          maximumFractionDigits: DECIMALS.USDG,
        })
        expect(meaning(format.format(plain as never), locale)).toBe(plain)
      }),
    )
  })

  it('never has a second meaning, unless the locale’s own decimal sign decides', () => {
    assert(
      property(stringMatching(/^[0-9.,]{1,9}$/), constantFrom('en', 'de'), (text, locale) => {
        const read = meaning(text, locale)
        if (read === null) return
        const possible = meanings(text)
        expect([...possible]).toContain(String(Number(read)))
        if (!text.includes(separatorsOf(locale).decimal)) expect(possible.size).toBe(1)
      }),
      { numRuns: 5_000 },
    )
  })
})

it('writes the multipliers of the rules’ texts as the locale does', () => {
  expect(localText('Rolled 1,234.50x, target 2.00x')).toBe('Rolled 1,234.50x, target 2.00x')
})
