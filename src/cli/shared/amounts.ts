import { formatEther, formatUnits } from 'viem'
import { parseAmount } from '../../money/amount.ts'
import { parseDecimal, toUnits } from '../../money/decimal.ts'
import { DECIMALS, type Token } from '../../money/token.ts'
import { CommandError } from './terminal.ts'

/** Reads an option in whole tokens ("1.5"). @returns the amount in smallest units */
export function readAmount(text: string, token: Token, option = '--amount'): bigint {
  const decimal = parseDecimal(text)
  const amountWei = decimal && toUnits(decimal, DECIMALS[token])
  if (amountWei !== null && amountWei > 0n) return amountWei
  throw new CommandError(
    `${option} must be above 0, with at most ${DECIMALS[token]} decimals for ${token}.`,
  )
}

/** Reads an option in smallest units. */
export function readAmountWei(text: string): bigint {
  const amountWei = parseAmount(text)
  if (amountWei) return amountWei
  throw new CommandError('--amount-wei must be a whole number of smallest units, above 0.')
}

/** Formats an amount for people: "1.5 USDG". */
export function showAmount(amountWei: bigint, token: Token): string {
  return `${formatUnits(amountWei, DECIMALS[token])} ${token}`
}

/** Formats an amount of a prize's asset for people. All assets have 18 decimals in local play. */
export function showAsset(amount: bigint, asset: string): string {
  return `${formatEther(amount)} ${asset}`
}
