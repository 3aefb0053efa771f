import { z } from 'zod'
import { parsing } from '../../config/parse.ts'
import { AMOUNT_PATTERN, parseAmount } from '../../money/amount.ts'
import { QueryNumber, Wallet, WholeNumber } from '../http/schema.ts'

/** A box's id: a uint256 as decimal text, parsed to a bigint. */
const BoxId = z
  .string()
  .transform(parsing(parseAmount, "must be a box's id as a decimal string"))
  .meta({ pattern: AMOUNT_PATTERN.source, description: 'The id of a box, as decimal text.' })

export const WalletQuery = z.object({
  wallet: Wallet,
  from: QueryNumber(0, 999_999_999)
    .optional()
    .describe('The number of boxes to skip: the `next` of the previous page.'),
  order: z
    .enum(['oldest', 'newest'])
    .optional()
    .describe('Which boxes come first, and from which `from` counts; without it the oldest.'),
})

const MAX_KINDS = 32

export const BuyBody = z.object({
  kind: WholeNumber(0, MAX_KINDS - 1).describe('The number of a kind of box.'),
  wallet: Wallet.nullish().describe(
    'The buyer, in any letter case. A player who has excluded themselves is refused. Without it this is not checked.',
  ),
})

/** A box's id, in a query or a body. */
export const BoxBody = z.object({ boxId: BoxId })
