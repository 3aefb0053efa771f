import { parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS, type Token } from '../money/token.ts'
import { wholeUnits } from '../money/whole-units.ts'

/** Decimals that people read at a glance; the exact amount is shown on hover. */
const SHOWN_DECIMALS: Record<Token, number> = { ETH: 5, USDG: 2 }

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

/** Rounded down to what people read at a glance: "1,234.56". Exact where that would be zero. */
export function shortAmount(amountWei: bigint | string, token: Token): string {
  const exact = exactAmount(amountWei, token)
  const [whole = '0', fraction = ''] = exact.split('.')
  const shown = fraction.slice(0, SHOWN_DECIMALS[token]).replace(/0+$/, '')
  if (whole === '0' && shown === '') return exact
  return `${BigInt(whole).toLocaleString('en')}${shown && `.${shown}`}`
}
