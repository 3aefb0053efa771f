import { DECIMALS, type Token } from './token.ts'

/** Formats an amount in whole tokens, exactly, without exponent or trailing zeros: "1.5", "-0.000001". */
export function wholeUnits(amountWei: bigint, token: Token): string {
  const decimals = DECIMALS[token]
  const sign = amountWei < 0n ? '-' : ''
  const digits = (amountWei < 0n ? -amountWei : amountWei).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -decimals)}${fraction && `.${fraction}`}`
}
