import { parseDecimal, type Decimal } from '../money/decimal.ts'
import { toMultiplier, type Hundredths } from '../money/multiplier.ts'

/** Numbers and dates in the browser's locale; texts stay English. Digits stay 0 to 9, which every field accepts. */
const LATIN = { numberingSystem: 'latn' } as const

/** How a locale writes numbers. */
interface Separators {
  decimal: string
  group: string
}

export function separatorsOf(locale?: string): Separators {
  const parts = new Intl.NumberFormat(locale, { ...LATIN, useGrouping: 'always' }).formatToParts(
    1_234_567.8,
  )
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return { decimal: part('decimal') || '.', group: part('group') }
}

const OWN = separatorsOf()

/** Writes plain decimal text, such as "1234.5", with the locale's decimal separator: "1234,5". */
export function localDecimal(plain: string, { decimal } = OWN): string {
  return plain.replace('.', decimal)
}

const whole = new Intl.NumberFormat(undefined, LATIN)

/** Writes a whole number with its thousands grouped: "1,234". */
export function showCount(count: number | bigint): string {
  return whole.format(count)
}

/** Writes a number with at most this many decimals. */
export function showNumber(value: number, maximumFractionDigits: number, fixed = false): string {
  const minimumFractionDigits = fixed ? maximumFractionDigits : 0
  return value.toLocaleString(undefined, {
    ...LATIN,
    minimumFractionDigits,
    maximumFractionDigits,
  })
}

/** Writes a number with at most this many significant digits. */
export function showDigits(value: number, maximumSignificantDigits: number): string {
  return value.toLocaleString(undefined, { ...LATIN, maximumSignificantDigits })
}

/** Writes a number from its whole part and its decimals: "1,234.50". */
export function showParts(units: bigint, decimals: string): string {
  return decimals === '' ? showCount(units) : `${showCount(units)}${OWN.decimal}${decimals}`
}

const multipliers = new Intl.NumberFormat(undefined, {
  ...LATIN,
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
})

/** Writes a multiplier: "2.00x", "1.1379x". */
export function showMultiplier(multiplier: number): string {
  return `${multipliers.format(multiplier)}x`
}

/** Writes a multiplier given in hundredths: 235 → "2.35x". */
export function showHundredths(multiplier: Hundredths): string {
  return showMultiplier(toMultiplier(multiplier))
}

/** Writes the multipliers in a text of the rules, which are in English, as the locale does. */
export function localText(text: string): string {
  return text.replaceAll(/(\d[\d,]*\.\d+)x/g, (_, number: string) =>
    showMultiplier(Number(number.replaceAll(',', ''))),
  )
}

/** Thousands between spaces or apostrophes, which never separate decimals. */
const PLAINLY_GROUPED = /^[1-9]\d{0,2}(?:[\s'’]\d{3})+$/

/**
 * Parses a number as a player types it, by the locale or by any other writing that has only one meaning. "1.000" is
 * refused where a point groups thousands: it could be one or a thousand.
 */
export function readDecimal(text: string, { decimal } = OWN): Decimal | null {
  const typed = withoutPlainGroups(text.trim())
  if (!/^[\d.,]*\d[\d.,]*$/.test(typed)) return null
  const other = decimal === ',' ? '.' : ','
  const pieces = typed.split(decimal === ',' ? ',' : '.')
  if (pieces.length > 2) return null
  const [head = '', fraction] = pieces
  if (fraction !== undefined) return decimalOf(ungrouped(head, other), fraction)
  const parts = head.split(other)
  if (parts.length === 2) return isGrouped(head, other) ? null : decimalOf(parts[0], parts[1])
  return decimalOf(ungrouped(head, other), '')
}

/** Joins the thousands of the whole part, if they are grouped as numbers are; else leaves the text as it is. */
function withoutPlainGroups(text: string): string {
  const [head = ''] = text.split(/[.,]/, 1)
  if (!PLAINLY_GROUPED.test(head)) return text
  return head.replaceAll(/\D/g, '') + text.slice(head.length)
}

/** Returns how to correct a text that could mean two numbers: with decimals or with thousands. Otherwise empty. */
export function ambiguityHint(text: string, { decimal } = OWN): string {
  const other = decimal === ',' ? '.' : ','
  const typed = text.trim()
  const isAmbiguous = typed.split(other).length === 2 && isGrouped(typed, other)
  return isAmbiguous ? 'Write the number without a thousands separator.' : ''
}

/** Joins thousands; null unless they are grouped as numbers are. */
function ungrouped(text: string, separator: string): string | null {
  if (!text.includes(separator)) return text
  return isGrouped(text, separator) ? text.replaceAll(separator, '') : null
}

/** Groups have three digits; in India, all but the last have two. */
function isGrouped(text: string, separator: string): boolean {
  const [first = '', ...rest] = text.split(separator)
  const last = rest.pop() ?? ''
  return (
    /^[1-9]\d{0,2}$/.test(first) &&
    /^\d{3}$/.test(last) &&
    rest.every((group) => /^\d{2,3}$/.test(group))
  )
}

function decimalOf(head: string | null | undefined, fraction = ''): Decimal | null {
  if (head === null || head === undefined || !/^\d*$/.test(fraction)) return null
  const digits = head.replace(/^0+(?=\d)/, '') || '0'
  return parseDecimal(fraction === '' ? digits : `${digits}.${fraction}`)
}
