import { z } from 'zod'
import { QueryNumber, SourceNumber, TokenName, Wallet } from '../http/schema.ts'
import { MAX_AMOUNT_WEI } from '../money/amount.ts'
import { parseDecimal, toUnits } from '../money/decimal.ts'
import { DECIMALS } from '../money/token.ts'

/** What partners send. */

const PartnerId = z
  .string()
  .regex(/^[\x20-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters')

const player = {
  playerId: Wallet.meta({ description: "The player's wallet address." }),
  currency: TokenName,
}

/** An amount in whole tokens, read from the JSON text; parses to smallest units. */
export const TransactionBody = z
  .object({
    ...player,
    partnerTransactionId: PartnerId.meta({
      description:
        'Your id of this transaction, the key of its idempotency: unique over all players and over transactions and rollbacks.',
    }),
    amount: SourceNumber.meta({
      description:
        'In whole tokens: negative debits the player, positive credits, zero moves nothing. No more decimals than the token has; read exactly, never as floating point.',
    }),
  })
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
  .object({
    ...player,
    partnerTransactionId: PartnerId.meta({
      description: 'Your id of this rollback, one of its own.',
    }),
    originalTransactionId: PartnerId.meta({ description: 'The id of the transaction to undo.' }),
  })
  .refine((ids) => ids.partnerTransactionId !== ids.originalTransactionId, {
    path: ['partnerTransactionId'],
    message: 'must be an id of its own, not the original’s',
  })

export const BalanceQuery = z.object(player)

const MAX_ENTRIES = 500

const Time = QueryNumber(0, Number.MAX_SAFE_INTEGER)

export const StatementQuery = z.object({
  ...player,
  from: Time.optional().meta({ description: 'From this time on, in unix milliseconds.' }),
  to: Time.optional().meta({ description: 'Before this time, in unix milliseconds.' }),
  cursor: Time.optional().meta({ description: 'The `next` of the page before.' }),
  limit: QueryNumber(1, MAX_ENTRIES)
    .optional()
    .meta({ description: `Entries a page, 1 to ${MAX_ENTRIES}; 100 unless told otherwise.` }),
})
