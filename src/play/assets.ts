import { showNumber, showParts } from './locale.ts'

const DIGITS_OF_COIN = 18

/** Formats an exact amount of a prize's asset in whole units: "1,250.5 REWARD". */
export function assetAmount(amount: string, asset: string, decimals = DIGITS_OF_COIN): string {
  const [units = '0', rest = ''] = amount.split('.')
  const digits = units.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = (digits.slice(digits.length - decimals) + rest).replace(/0+$/, '')
  return `${showParts(BigInt(whole), fraction)} ${asset}`
}

/** Formats basis points: "0.3%". */
export function percent(bps: number): string {
  return `${showNumber(bps / 100, 2)}%`
}
