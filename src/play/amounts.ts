import { parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS, type Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'

/** Decimals that people read at a glance; the exact amount is shown on hover. */
const SHOWN_DECIMALS: Record<Token, number> = { ETH: 5, USDG: 2 }
/** A small amount has more decimals: a payout of 1.01 times a stake must not read like the stake. */
const SIGNIFICANT_DIGITS = 4

/**
 * An amount as a player types it, in whole tokens.
 * @returns smallest units; null where it is no amount of this token above zero
 */
export function readAmount(text: string, token: Token): bigint | null {
  const plain = text.trim().replace(',', '.').replace(/^\./, '0.').replace(/\.$/, '')
  const number = /^[0-9.]+$/.test(plain) ? parseDecimal(plain) : null
  const amountWei = number && toUnits(number, DECIMALS[token])
  return amountWei !== null && amountWei > 0n ? amountWei : null
}

/** Exactly, as text that {@link readAmount} reads: "0.0153". */
export function exactAmount(amountWei: bigint | string, token: Token): string {
  return wholeUnits(BigInt(amountWei), token)
}

/** Rounded down to what people read at a glance: "1,234.56", "0.0000525". */
export function shortAmount(amountWei: bigint | string, token: Token): string {
  return steadyAmount(amountWei, token).replace(/\.?0+$/, '')
}

/** The same with its zeros at the end, so that its width stays while it grows: "1,234.50". */
export function steadyAmount(amountWei: bigint | string, token: Token): string {
  const [whole = '0', fraction = ''] = exactAmount(amountWei, token).split('.')
  const significant = whole === '0' ? fraction.search(/[1-9]|$/) + SIGNIFICANT_DIGITS : 0
  const decimals = Math.min(DECIMALS[token], Math.max(SHOWN_DECIMALS[token], significant))
  const shown = fraction.slice(0, decimals).padEnd(decimals, '0')
  return `${BigInt(whole).toLocaleString('en')}.${shown}`
}
