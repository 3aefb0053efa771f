import { MAX_AMOUNT_WEI } from '../money/amount.ts'
import { agreeTo, parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS, type Token } from '../money/token.ts'

/** An amount as a partner sends it: in either field, or in both. */
export interface SentAmount {
  /** Whole tokens: the source text of a JSON number. */
  amount: string | undefined
  /** Smallest units. */
  amountWei: bigint | undefined
}

/** A field that cannot be taken as it is, and what it must be. */
export interface AmountIssue {
  path: keyof SentAmount
  message: string
}

/** A double carries 15 significant digits; a sum of a few of them still has these right. */
const AGREEING_DIGITS = 12

/**
 * Decides what a transaction moves, in smallest units: `amountWei` where it is sent, else exactly what
 * `amount` says. An `amount` beside it has to agree with it.
 */
export function decideAmount(token: Token, sent: SentAmount): bigint | AmountIssue {
  const { amount, amountWei } = sent
  if (amount === undefined) {
    return amountWei ?? { path: 'amountWei', message: 'is missing: send amountWei, or amount' }
  }
  const decimals = DECIMALS[token]
  const decimal = parseDecimal(amount)
  if (amountWei === undefined) {
    const exactWei = decimal && toUnits(decimal, decimals)
    if (exactWei !== null && exactWei <= MAX_AMOUNT_WEI && -exactWei <= MAX_AMOUNT_WEI) {
      return exactWei
    }
    const message = `must be a number of whole tokens with at most ${decimals} decimals; send amountWei if you compute with floating point`
    return { path: 'amount', message }
  }
  if (decimal && agreeTo(AGREEING_DIGITS, decimal, { digits: amountWei, scale: decimals })) {
    return amountWei
  }
  const message = `must agree with amountWei to ${AGREEING_DIGITS} significant digits, or be left out`
  return { path: 'amount', message }
}
