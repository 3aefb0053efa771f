import { z } from 'zod'
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
import { parseSignedAmount, SIGNED_AMOUNT_PATTERN } from '../../money/amount.ts'
import { decideAmount } from '../../wallet-bridge/amount.ts'

/** What partners send. */

const PartnerId = z
  .string()
  .regex(/^[\x20-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters')

const player = {
  playerId: Wallet.meta({ description: "The player's wallet address." }),
  currency: TokenName,
}

/** A signed amount in smallest units, as decimal text. */
const SignedAmountWei = z
  .string()
  .transform((text, context): bigint => {
    const amountWei = parseSignedAmount(text)
    if (amountWei !== null) return amountWei
    context.addIssue({
      code: 'custom',
      message: 'must be a whole number of smallest units as a string, such as "-2500000"',
    })
    return z.NEVER
  })
  .meta({ pattern: SIGNED_AMOUNT_PATTERN.source })

const TransactionFields = z.object({
  ...player,
  partnerTransactionId: PartnerId.meta({
    description:
      'Your id of this transaction, the key of its idempotency: unique over all players and over transactions and rollbacks.',
  }),
  amountWei: SignedAmountWei.optional().meta({
    description:
      "What to move, in the token's smallest unit as decimal text: negative debits the player, positive credits, zero moves nothing. Required unless `amount` is sent; beside it, this one decides.",
  }),
  amount: SourceNumber.optional().meta({
    description:
      'The same in whole tokens. Alone, it is taken exactly as written and may not have more decimals than the token; beside `amountWei` it must agree with it to 12 significant digits.',
  }),
})

/** Parses to the amount that is moved, in smallest units. */
export const TransactionBody = TransactionFields.transform((fields, context) => {
  const { amount, amountWei, ...rest } = fields
  const decided = decideAmount(rest.currency, { amount: amount?.source, amountWei })
  if (typeof decided === 'bigint') return { ...rest, amountWei: decided }
  context.addIssue({ code: 'custom', path: [decided.path], message: decided.message })
  return z.NEVER
})

/** Every field that a transaction may have. */
export const TRANSACTION_NAMES = Object.keys(TransactionFields.shape)

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

/** Every field that a rollback may have. */
export const ROLLBACK_NAMES = Object.keys(RollbackBody.shape)

export const BalanceQuery = z.object(player)

const MAX_ENTRIES = 500

/** The last second whose milliseconds are a safe integer. */
const MAX_UNIX_S = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

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

/** What players send to let a partner debit their chips. */

const permission = {
  partner: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, "must be a partner's id")
    .meta({ description: "The partner's id." }),
  token: TokenName,
}

export const GrantBody = z.object({
  ...permission,
  maxPerDayWei: AmountWei.refine(
    (amountWei) => amountWei > 0n,
    'must be more than zero: revoke the permission to allow nothing',
  ).meta({
    description:
      "The most that the partner may debit within 24 hours, in the token's smallest unit.",
  }),
  expiresAt: WholeNumber(1, MAX_UNIX_S).meta({
    description: 'When the permission ends, in unix seconds.',
  }),
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).meta({
    description: 'The `nonce` of this partner and token that GET /api/wallet/permissions shows.',
  }),
  signature: Signature.meta({
    description:
      'The EIP-712 signature over `PartnerPermission(address player,string partner,address token,uint256 maxPerDayWei,uint256 expiresAt,uint256 nonce)`, as hex; domain and token addresses are in GET /api/wallet/permissions.',
  }),
})

export const RevokeBody = z.object(permission)

/** Every field that a call about a permission may have. */
export const PERMISSION_NAMES = [
  'action',
  ...Object.keys(Credentials.shape),
  ...Object.keys(GrantBody.shape),
]
