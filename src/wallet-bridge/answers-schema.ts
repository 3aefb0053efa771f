import { z } from 'zod'
import { amount, count, signedAmount, text, unixMs } from '../http/answers-schema.ts'

const whole = (description: string) =>
  z.number().meta({ description: `${description}, in whole tokens, exact in the JSON text.` })

export const BalanceAnswer = z
  .object({ balance: whole("The player's chips"), balanceWei: amount("The player's chips") })
  .meta({ id: 'BridgeBalance' })

const moved = {
  partnerTransactionId: text('Your id.'),
  balance: whole('The chips after it'),
  balanceBefore: whole('The chips before it'),
  balanceWei: amount('The chips after it'),
  balanceBeforeWei: amount('The chips before it'),
}

export const TransferAnswer = z.object(moved).meta({ id: 'BridgeTransfer' })

export const StatementAnswer = z
  .object({
    entries: z
      .array(
        z.object({
          ...moved,
          type: z.enum(['transaction', 'rollback']).meta({ description: 'What it was.' }),
          originalTransactionId: text('What a rollback has undone.').optional(),
          amount: whole('What moved, above zero into the chips'),
          amountWei: signedAmount('What moved, above zero into the chips'),
          at: unixMs('When'),
          cursor: count('Its place in the journal.'),
        }),
      )
      .meta({ description: 'What was carried out, the oldest first; refusals are not in it.' }),
    next: count('The next page.')
      .nullable()
      .meta({ description: '`cursor` of the next page; null where this is the last.' }),
  })
  .meta({ id: 'BridgeStatement' })
