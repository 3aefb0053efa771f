import { z } from 'zod'
import { Wallet, WholeNumber } from '../http/schema.ts'
import { parseAmount } from '../money/amount.ts'

/** A box's id: a uint256 as decimal text. */
const BoxId = z.string().transform((text, context): bigint => {
  const boxId = parseAmount(text)
  if (boxId !== null) return boxId
  context.addIssue({ code: 'custom', message: 'must be a box’s id as a decimal string' })
  return z.NEVER
})

export const WalletQuery = z.object({
  wallet: Wallet,
  from: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,8})$/, 'must be a whole number')
    .transform(Number)
    .optional(),
})

const MOST_KINDS = 32

export const BuyBody = z.object({ kind: WholeNumber(0, MOST_KINDS - 1), wallet: Wallet })

/** A box's id alone, in a query or a body. */
export const BoxBody = z.object({ boxId: BoxId })
