/** An exact decimal number: `digits · 10^-scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** Numbers with more digits or a larger exponent than this are not ones anybody bets with. */
const MAX_TEXT_LENGTH = 100
const MAX_EXPONENT = 100

const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * Reads a JSON number from its source text, exactly: no floating point on the way.
 * @returns the number, or null where the text is not a JSON number or is unreasonably long
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
 * The number counted in units of 10^-decimals (cents for 2, wei for 18).
 * @returns the count, or null where the number has more decimals than that
 */
export function toUnits(value: Decimal, decimals: number): bigint | null {
  if (value.scale <= decimals) return value.digits * 10n ** BigInt(decimals - value.scale)
  const divisor = 10n ** BigInt(value.scale - decimals)
  return value.digits % divisor === 0n ? value.digits / divisor : null
}

/**
 * Whether two numbers agree to a number of significant digits: they differ by less than one unit of
 * that digit in the smaller of them. Zero agrees with zero alone.
 */
export function agreeTo(significantDigits: number, a: Decimal, b: Decimal): boolean {
  const scale = Math.max(a.scale, b.scale)
  const [x, y] = [scaledTo(scale, a), scaledTo(scale, b)]
  const smaller = absolute(x) < absolute(y) ? absolute(x) : absolute(y)
  const limit = 10n ** BigInt(smaller.toString().length)
  return absolute(x - y) * 10n ** BigInt(significantDigits) < limit
}

function scaledTo(scale: number, value: Decimal): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale)
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
