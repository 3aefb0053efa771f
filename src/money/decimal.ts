import { min } from '../core/bigint.ts'

/** An exact decimal number: `digits · 10^-scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** Limits on a number's length and exponent, far beyond any bet. They bound the work of parsing. */
const MAX_TEXT_LENGTH = 100
const MAX_EXPONENT = 100

const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * Parses a JSON number from its source text, exactly, without floating point.
 * @returns the number, or null if the text isn't a JSON number or exceeds the limits above
 */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > MAX_TEXT_LENGTH) return null
  const match = JSON_NUMBER.exec(text)
  if (!match) return null
  const [, sign, whole, fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  if (Math.abs(exponent) > MAX_EXPONENT) return null
  const digits = BigInt(`${sign}${whole}${fraction}`)
  const scale = fraction.length - exponent
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/**
 * Converts a number to a count of 10^-decimals (cents for 2, wei for 18).
 * @returns the count, or null if the number has more decimals than that
 */
export function toUnits(value: Decimal, decimals: number): bigint | null {
  if (value.scale <= decimals) return value.digits * 10n ** BigInt(decimals - value.scale)
  const divisor = 10n ** BigInt(value.scale - decimals)
  return value.digits % divisor === 0n ? value.digits / divisor : null
}

/**
 * Parses a JSON number to a count of 10^-decimals.
 * @param range in counts, inclusive
 * @returns the count, or null if the text isn't a number with at most `decimals` decimals or is out of range
 */
export function parseCount(
  text: string,
  decimals: number,
  range: { min: number; max: number },
): number | null {
  const decimal = parseDecimal(text)
  const count = decimal && toUnits(decimal, decimals)
  const isInRange = count !== null && count >= BigInt(range.min) && count <= BigInt(range.max)
  return isInRange ? Number(count) : null
}

/**
 * Returns whether two numbers agree to a number of significant digits: they differ by less than one
 * unit of the last such digit of the smaller number. Zero agrees only with zero.
 */
export function agreeTo(significantDigits: number, a: Decimal, b: Decimal): boolean {
  const scale = Math.max(a.scale, b.scale)
  const [x, y] = [scaledTo(scale, a), scaledTo(scale, b)]
  const smaller = min(absolute(x), absolute(y))
  const limit = 10n ** BigInt(smaller.toString().length)
  return absolute(x - y) * 10n ** BigInt(significantDigits) < limit
}

function scaledTo(scale: number, value: Decimal): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale)
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
