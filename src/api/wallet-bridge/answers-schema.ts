import { z } from 'zod'
import {
  address,
  amount,
  count,
  ok,
  perToken,
  signedAmount,
  text,
  token,
  unixMs,
} from '../http/answers-schema.ts'

const whole = (description: string) =>
  z
    .number()
    .meta({ description: `${description}, in whole tokens, as an exact decimal in the JSON text.` })

export const BalanceAnswer = z
  .object({ balance: whole("The player's chips"), balanceWei: amount("The player's chips") })
  .meta({ id: 'BridgeBalance' })

const moved = {
  partnerTransactionId: text('Your transaction id.'),
  balance: whole('The chips after the transaction'),
  balanceBefore: whole('The chips before the transaction'),
  balanceWei: amount('The chips after the transaction'),
  balanceBeforeWei: amount('The chips before the transaction'),
}

export const TransferAnswer = z.object(moved).meta({ id: 'BridgeTransfer' })

export const StatementAnswer = z
  .object({
    entries: z
      .array(
        z.object({
          ...moved,
          type: z.enum(['transaction', 'rollback']).meta({ description: 'The kind of entry.' }),
          originalTransactionId: text(
            'The id of the transaction that a rollback reversed.',
          ).optional(),
          amount: whole('The amount, positive for a credit to the player'),
          amountWei: signedAmount('The amount, positive for a credit to the player'),
          at: unixMs('The time of the entry'),
          cursor: count("The entry's number in the journal."),
        }),
      )
      .meta({
        description: 'The completed transactions and rollbacks, oldest first, without refusals.',
      }),
    next: count('The cursor of the next page.')
      .nullable()
      .meta({ description: 'The `cursor` of the next page; null on the last page.' }),
  })
  .meta({ id: 'BridgeStatement' })

const permissionOf = {
  partner: text("The partner's id."),
  token,
  nonce: count('The nonce of the next grant. Each grant and each revocation raises it.'),
  maxPerDayWei: amount(
    'The most that the partner may debit within 24 hours, or "0" without a permission',
  ),
  expiresAt: count('When the permission expires.').nullable().meta({
    description: 'When the permission expires, in unix seconds; null without a permission.',
  }),
  usedWei: amount("The partner's debits in the last 24 hours, less rollbacks"),
  consent: z
    .enum(['required', 'implied'])
    .meta({ description: "Whether this partner's debits need a permission." }),
  debits: z.boolean().meta({ description: "Whether the operator allows this partner's debits." }),
  maxPerHourWei: amount("The operator's limit on this partner's debits per player and hour"),
}

const Permission = z.object(permissionOf).meta({
  id: 'Permission',
  description: "A player's permission for a partner's debits in one token.",
})

export const PermissionAnswer = z
  .object({ ok, permission: Permission })
  .meta({ id: 'PermissionAnswer' })

export const PermissionsAnswer = z
  .object({
    ok,
    domain: z
      .object({
        name: text("The domain's name."),
        version: text("The domain's version."),
        chainId: count('The chain id.'),
        verifyingContract: address('The vault, or the zero address without one'),
      })
      .meta({ description: 'The EIP-712 domain of a permission.' }),
    tokens: perToken(
      address("The token's address"),
      'The address of each token in a signed permission.',
    ),
    permissions: z
      .array(Permission)
      .meta({ description: 'A permission for every configured partner and token.' }),
  })
  .meta({ id: 'PermissionsAnswer' })
