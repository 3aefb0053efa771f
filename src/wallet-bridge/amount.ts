import { MAX_AMOUNT_WEI } from '../money/amount.ts'
import { agreeTo, parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS, type Token } from '../money/token.ts'

/** An amount as sent by a partner, in either field or both. */
interface SentAmount {
  /** In whole tokens: the source text of a JSON number. */
  amount: string | undefined
  /** In smallest units. */
  amountWei: bigint | undefined
}

/** An invalid field and its requirement. */
interface AmountIssue {
  path: keyof SentAmount
  message: string
}

/** A double has 15 significant digits; a sum of a few doubles is still right to 12. */
const AGREEING_DIGITS = 12

/**
 * Returns a transaction's amount in smallest units: `amountWei` if present, otherwise exactly `amount`.
 * If both are present, they must agree.
 */
export function decideAmount(token: Token, sent: SentAmount): bigint | AmountIssue {
  const { amount, amountWei } = sent
  if (amount === undefined) {
    return amountWei ?? { path: 'amountWei', message: 'is missing: send amountWei or amount' }
  }
  const decimals = DECIMALS[token]
  const decimal = parseDecimal(amount)
  if (amountWei === undefined) {
    const exactWei = decimal && toUnits(decimal, decimals)
    if (exactWei !== null && exactWei <= MAX_AMOUNT_WEI && -exactWei <= MAX_AMOUNT_WEI) {
      return exactWei
    }
    const message = `must be a number of whole tokens with at most ${decimals} decimals; if you calculate in floating point, send amountWei`
    return { path: 'amount', message }
  }
  if (decimal && agreeTo(AGREEING_DIGITS, decimal, { digits: amountWei, scale: decimals })) {
    return amountWei
  }
  const message = `must agree with amountWei to ${AGREEING_DIGITS} significant digits, or be omitted`
  return { path: 'amount', message }
}
