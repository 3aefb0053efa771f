import { toUnits } from '../money/decimal.ts'
import { DECIMALS, type Unit } from '../money/token.ts'
import { glanceUnits, wholeUnits } from '../money/whole-units.ts'
import { localDecimal, readDecimal, showParts } from './locale.ts'

/**
 * Parses an amount in whole units, as a player types it.
 * @returns smallest units; null unless it is a positive amount of this unit
 */
export function readAmount(text: string, unit: Unit): bigint | null {
  const number = readDecimal(text)
  const amountWei = number && toUnits(number, DECIMALS[unit])
  return amountWei !== null && amountWei > 0n ? amountWei : null
}

/** Parses a whole number from 1 to `most`, as a player types it; undefined for anything else. */
export function readCount(text: string, most: number): number | undefined {
  const number = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0
  return number >= 1 && number <= most ? number : undefined
}

/** Formats an exact amount, which {@link readAmount} can parse: "0.0153". */
export function exactAmount(amountWei: bigint | string, unit: Unit): string {
  return localDecimal(wholeUnits(BigInt(amountWei), unit))
}

/** Formats an amount rounded down to a number that people read at a glance: "1,234.56", "0.0000525". */
export function shortAmount(amountWei: bigint | string, unit: Unit): string {
  const [whole, decimals] = glanceUnits(BigInt(amountWei), unit)
  return showParts(whole, decimals.replace(/0+$/, ''))
}

/**
 * Formats an amount as {@link shortAmount} does, but with trailing zeros, so that its width stays the same while it
 * grows: "1,234.50".
 */
export function steadyAmount(amountWei: bigint | string, unit: Unit): string {
  const [whole, decimals] = glanceUnits(BigInt(amountWei), unit)
  return showParts(whole, decimals)
}
