import { z } from 'zod'
import { JsonNumber } from '../http/body.ts'
import { TokenName, Wallet } from '../http/schema.ts'
import { MAX_AMOUNT_WEI } from '../money/amount.ts'
import { parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS } from '../money/token.ts'

/** What partners send. */

const PartnerId = z
  .string()
  .regex(/^[\x20-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters')

const player = { playerId: Wallet, currency: TokenName }

/** An amount in whole tokens, read from the JSON text; parses to smallest units. */
export const TransactionBody = z
  .object({ ...player, partnerTransactionId: PartnerId, amount: z.instanceof(JsonNumber) })
  .transform(({ amount, ...rest }, context) => {
    const decimals = DECIMALS[rest.currency]
    const decimal = parseDecimal(amount.source)
    const amountWei = decimal && toUnits(decimal, decimals)
    if (amountWei !== null && amountWei <= MAX_AMOUNT_WEI && -amountWei <= MAX_AMOUNT_WEI) {
      return { ...rest, amountWei }
    }
    const message = `must be a number of whole tokens with at most ${decimals} decimals`
    context.addIssue({ code: 'custom', path: ['amount'], message })
    return z.NEVER
  })

export const RollbackBody = z
  .object({ ...player, partnerTransactionId: PartnerId, originalTransactionId: PartnerId })
  .refine((ids) => ids.partnerTransactionId !== ids.originalTransactionId, {
    path: ['partnerTransactionId'],
    message: 'must be an id of its own, not the original’s',
  })

export const BalanceQuery = z.object(player)

const MAX_ENTRIES = 500

/** A whole number in a query. */
function QueryNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
}

const Time = QueryNumber(0, Number.MAX_SAFE_INTEGER)

export const StatementQuery = z.object({
  ...player,
  from: Time.optional(),
  to: Time.optional(),
  cursor: Time.optional(),
  limit: QueryNumber(1, MAX_ENTRIES).optional(),
})
