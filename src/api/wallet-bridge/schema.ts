import { z } from 'zod'
import { parsing } from '../../config/parse.ts'
import { parseSignedAmount, SIGNED_AMOUNT_PATTERN } from '../../money/amount.ts'
import { decideAmount } from '../../wallet-bridge/amount.ts'
import {
  Credentials,
  AmountWei,
  QueryNumber,
  Signature,
  SourceNumber,
  TokenName,
  Wallet,
  WholeNumber,
} from '../http/schema.ts'

/** Requests of partners. */

const PartnerId = z
  .string()
  .regex(/^[\x20-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters')

const player = {
  playerId: Wallet.describe("The player's wallet address."),
  currency: TokenName,
}

/** A possibly negative amount in smallest units, as decimal text, parsed to a bigint. */
const SignedAmountWei = z
  .string()
  .transform(
    parsing(
      parseSignedAmount,
      'must be a whole number of smallest units as a string, such as "-2500000"',
    ),
  )
  .meta({ pattern: SIGNED_AMOUNT_PATTERN.source })

const TransactionFields = z.object({
  ...player,
  partnerTransactionId: PartnerId.describe(
    'Your id for this transaction, its idempotency key. It must be unique across all players, transactions and rollbacks.',
  ),
  amountWei: SignedAmountWei.nullish().describe(
    "The amount in the token's smallest unit, as decimal text. A negative amount debits the player, a positive one credits, zero moves nothing. Required unless `amount` is sent; if both are sent, this one decides.",
  ),
  amount: SourceNumber.nullish().describe(
    'The amount in whole tokens. Without `amountWei` it is read exactly as written and may not have more decimals than the token. With `amountWei` the two must agree to 12 significant digits.',
  ),
})

/** The body of a transaction, with its amount parsed to smallest units. */
export const TransactionBody = TransactionFields.transform((fields, context) => {
  const { amount, amountWei, ...rest } = fields
  const sent = { amount: amount?.source, amountWei: amountWei ?? undefined }
  const decided = decideAmount(rest.currency, sent)
  if (typeof decided === 'bigint') return { ...rest, amountWei: decided }
  context.addIssue({ code: 'custom', path: [decided.path], message: decided.message })
  return z.NEVER
})

export const TRANSACTION_NAMES = Object.keys(TransactionFields.shape)

export const RollbackBody = z.object({
  ...player,
  partnerTransactionId: PartnerId.describe(
    "Your id for this rollback, different from the transaction's id.",
  ),
  originalTransactionId: PartnerId.describe('The id of the transaction to reverse.'),
})

export const ROLLBACK_NAMES = Object.keys(RollbackBody.shape)

export const BalanceQuery = z.object(player)

const MAX_ENTRIES = 500

/** In the year 5138. A time in milliseconds is later. */
const MAX_UNIX_S = 100_000_000_000

const Time = QueryNumber(0, Number.MAX_SAFE_INTEGER)

export const StatementQuery = z.object({
  ...player,
  from: Time.optional().describe('The start time, inclusive, in unix milliseconds.'),
  to: Time.optional().describe('The end time, exclusive, in unix milliseconds.'),
  cursor: Time.optional().describe('The `next` of the previous page.'),
  limit: QueryNumber(1, MAX_ENTRIES)
    .optional()
    .describe(`Entries per page, 1 to ${MAX_ENTRIES}. Default: 100.`),
})

/** Requests of players to let a partner debit their chips. */

const permission = {
  partner: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, "must be a partner's id")
    .describe("The partner's id."),
  token: TokenName,
}

export const GrantBody = z.object({
  ...permission,
  maxPerDayWei: AmountWei.refine(
    (amountWei) => amountWei > 0n,
    'must be above 0; to allow nothing, revoke the permission',
  ).describe("The most that the partner may debit within 24 hours, in the token's smallest unit."),
  expiresAt: WholeNumber(1, MAX_UNIX_S).describe('When the permission expires, in unix seconds.'),
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
    'The `nonce` of this partner and token, from GET /api/wallet/permissions.',
  ),
  signature: Signature.describe(
    'The EIP-712 signature over `PartnerPermission(address player,string partner,address token,uint256 maxPerDayWei,uint256 expiresAt,uint256 nonce)`, as hex; domain and token addresses are in GET /api/wallet/permissions.',
  ),
})

export const RevokeBody = z.object(permission)

/** The field names of a grant or revocation. */
export const PERMISSION_NAMES = [
  'action',
  ...Object.keys(Credentials.shape),
  ...Object.keys(GrantBody.shape),
]
