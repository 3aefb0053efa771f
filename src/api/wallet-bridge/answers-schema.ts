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

const permissionOf = {
  partner: text("The partner's id."),
  token,
  nonce: count('The nonce to sign next: a grant and a revocation each raise it.'),
  maxPerDayWei: amount(
    'The most that the partner may debit within 24 hours, "0" where it is not permitted',
  ),
  expiresAt: count('When the permission ends.')
    .nullable()
    .meta({ description: 'When it ends, in unix seconds; null where there is no permission.' }),
  usedWei: amount('What the partner has debited in the last 24 hours and not rolled back'),
  consent: z
    .enum(['required', 'implied'])
    .meta({ description: 'Whether a debit of this partner needs a permission here.' }),
  debits: z.boolean().meta({ description: 'False where the operator has switched debits off.' }),
  maxPerHourWei: amount(
    "The operator's limit of what this partner debits one player within an hour",
  ),
}

const Permission = z.object(permissionOf).meta({
  id: 'Permission',
  description: 'What a player permits a partner in one token.',
})

export const PermissionAnswer = z
  .object({ ok, permission: Permission })
  .meta({ id: 'PermissionAnswer' })

export const PermissionsAnswer = z
  .object({
    ok,
    domain: z
      .object({
        name: text('The name.'),
        version: text('The version.'),
        chainId: count('The chain.'),
        verifyingContract: address('The vault, or the zero address without one'),
      })
      .meta({ description: 'The EIP-712 domain of a permission.' }),
    tokens: perToken(address('Its address'), 'What each token is in a signed permission.'),
    permissions: z
      .array(Permission)
      .meta({ description: 'One for every configured partner and token.' }),
  })
  .meta({ id: 'PermissionsAnswer' })
