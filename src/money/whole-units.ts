import { DECIMALS, type Unit } from './token.ts'

/** Formats an amount in whole units, exactly, without exponent or trailing zeros: "1.5", "-0.000001". */
export function wholeUnits(amountWei: bigint, unit: Unit): string {
  const decimals = DECIMALS[unit]
  const sign = amountWei < 0n ? '-' : ''
  const digits = (amountWei < 0n ? -amountWei : amountWei).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -decimals)}${fraction && `.${fraction}`}`
}

/** Decimals that people read at a glance. */
const SHOWN_DECIMALS: Record<Unit, number> = { ETH: 5, USDG: 2, FUN: 2 }
/** A small amount gets more decimals: a payout of 1.01 times a stake must not look like the stake. */
const SIGNIFICANT_DIGITS = 4

/**
 * Returns an amount in whole units, rounded down to a number that people read at a glance.
 * @returns the whole part and the decimals, with trailing zeros
 */
export function glanceUnits(amountWei: bigint, unit: Unit): [whole: bigint, decimals: string] {
  const [whole = '0', fraction = ''] = wholeUnits(amountWei, unit).split('.')
  const significant = whole === '0' ? fraction.search(/[1-9]|$/) + SIGNIFICANT_DIGITS : 0
  const decimals = Math.min(DECIMALS[unit], Math.max(SHOWN_DECIMALS[unit], significant))
  return [BigInt(whole), fraction.slice(0, decimals).padEnd(decimals, '0')]
}
