import { z } from 'zod'
import {
  address,
  amount,
  component,
  count,
  flag,
  list,
  describedComponent,
  ok,
  oneOf,
  orNull,
  perToken,
  record,
  records,
  signedAmount,
  text,
  token,
  unixMs,
} from '../http/answers-schema.ts'

const whole = (description: string) =>
  z.number().describe(`${description}, in whole tokens, as an exact decimal in the JSON text.`)

export const BalanceAnswer = component('BridgeBalance', {
  balance: whole("The player's chips"),
  balanceWei: amount("The player's chips"),
})

const moved = {
  partnerTransactionId: text('Your transaction id.'),
  balance: whole('The chips after the transaction'),
  balanceBefore: whole('The chips before the transaction'),
  balanceWei: amount('The chips after the transaction'),
  balanceBeforeWei: amount('The chips before the transaction'),
}

export const TransferAnswer = component('BridgeTransfer', moved)

export const StatementAnswer = component('BridgeStatement', {
  entries: records('The completed transactions and rollbacks, oldest first, without refusals.', {
    ...moved,
    type: oneOf('The kind of entry.', ['transaction', 'rollback']),
    originalTransactionId: text('The id of the transaction that a rollback reversed.').optional(),
    amount: whole('The amount, positive for a credit to the player'),
    amountWei: signedAmount('The amount, positive for a credit to the player'),
    at: unixMs('The time of the entry'),
    cursor: count("The entry's number in the journal."),
  }),
  next: orNull(
    'The `cursor` of the next page; null on the last page.',
    count('The cursor of the next page.'),
  ),
})

const permissionOf = {
  partner: text("The partner's id."),
  token,
  nonce: count('The nonce of the next grant. Each grant and each revocation raises it.'),
  maxPerDayWei: amount(
    'The most that the partner may debit within 24 hours, or "0" without a permission',
  ),
  expiresAt: orNull(
    'When the permission expires, in unix seconds; null without a permission.',
    count('When the permission expires.'),
  ),
  usedWei: amount("The partner's debits in the last 24 hours, less rollbacks"),
  consent: oneOf("Whether this partner's debits need a permission.", ['required', 'implied']),
  debits: flag("Whether the operator allows this partner's debits."),
  maxPerHourWei: amount("The operator's limit on this partner's debits per player and hour"),
}

const Permission = describedComponent(
  'Permission',
  "A player's permission for a partner's debits in one token.",
  permissionOf,
)

export const PermissionAnswer = component('PermissionAnswer', { ok, permission: Permission })

export const PermissionsAnswer = component('PermissionsAnswer', {
  ok,
  domain: record('The EIP-712 domain of a permission.', {
    name: text("The domain's name."),
    version: text("The domain's version."),
    chainId: count('The chain id.'),
    verifyingContract: address('The vault, or the zero address without one'),
  }),
  tokens: perToken(
    address("The token's address"),
    'The address of each token in a signed permission.',
  ),
  permissions: list('A permission for every configured partner and token.', Permission),
})
