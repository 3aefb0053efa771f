import { parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS, type Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'

/** Decimals that people read at a glance. Hovering shows the exact amount. */
const SHOWN_DECIMALS: Record<Token, number> = { ETH: 5, USDG: 2 }
/** A small amount gets more decimals: a payout of 1.01 times a stake must not look like the stake. */
const SIGNIFICANT_DIGITS = 4

/**
 * Parses an amount in whole tokens, as a player types it.
 * @returns smallest units; null unless it is a positive amount of this token
 */
export function readAmount(text: string, token: Token): bigint | null {
  const plain = text.trim().replace(',', '.').replace(/^\./, '0.').replace(/\.$/, '')
  const number = /^[0-9.]+$/.test(plain) ? parseDecimal(plain) : null
  const amountWei = number && toUnits(number, DECIMALS[token])
  return amountWei !== null && amountWei > 0n ? amountWei : null
}

/** Formats an exact amount, which {@link readAmount} can parse: "0.0153". */
export function exactAmount(amountWei: bigint | string, token: Token): string {
  return wholeUnits(BigInt(amountWei), token)
}

/** Formats an amount rounded down to what people read at a glance: "1,234.56", "0.0000525". */
export function shortAmount(amountWei: bigint | string, token: Token): string {
  return steadyAmount(amountWei, token).replace(/\.?0+$/, '')
}

/** The same with trailing zeros, so that its width stays the same while it grows: "1,234.50". */
export function steadyAmount(amountWei: bigint | string, token: Token): string {
  const [whole = '0', fraction = ''] = exactAmount(amountWei, token).split('.')
  const significant = whole === '0' ? fraction.search(/[1-9]|$/) + SIGNIFICANT_DIGITS : 0
  const decimals = Math.min(DECIMALS[token], Math.max(SHOWN_DECIMALS[token], significant))
  const shown = fraction.slice(0, decimals).padEnd(decimals, '0')
  return `${BigInt(whole).toLocaleString('en')}.${shown}`
}
