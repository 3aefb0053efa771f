import { formatEther, formatUnits } from 'viem'
import { parseAmount } from '../../money/amount.ts'
import { parseDecimal, toUnits } from '../../money/decimal.ts'
import { DECIMALS, type Token } from '../../money/token.ts'
import { CommandError } from './terminal.ts'

/** An amount of whole tokens given as an option ("1.5"), in smallest units. */
export function readAmount(text: string, token: Token, option = '--amount'): bigint {
  const decimal = parseDecimal(text)
  const amountWei = decimal && toUnits(decimal, DECIMALS[token])
  if (amountWei !== null && amountWei > 0n) return amountWei
  throw new CommandError(
    `${option} must be more than zero, with at most ${DECIMALS[token]} decimals for ${token}.`,
  )
}

/** An amount given in smallest units. */
export function readAmountWei(text: string): bigint {
  const amountWei = parseAmount(text)
  if (amountWei) return amountWei
  throw new CommandError('--amount-wei must be a whole number of smallest units above zero.')
}

/** An amount for people: "1.5 USDG". */
export function showAmount(amountWei: bigint, token: Token): string {
  return `${formatUnits(amountWei, DECIMALS[token])} ${token}`
}

/** An amount of what prizes are in for people. Coin, reward token and stocks have 18 decimals here. */
export function showAsset(amount: bigint, asset: string): string {
  return `${formatEther(amount)} ${asset}`
}
