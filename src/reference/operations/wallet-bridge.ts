import {
  BalanceAnswer,
  PermissionAnswer,
  PermissionsAnswer,
  StatementAnswer,
  TransferAnswer,
} from '../../api/wallet-bridge/answers-schema.ts'
import {
  BalanceQuery,
  GrantBody,
  RevokeBody,
  RollbackBody,
  StatementQuery,
  TransactionBody,
} from '../../api/wallet-bridge/schema.ts'
import { Credentials } from '../../api/http/schema.ts'
import { signedAction } from '../bodies.ts'
import { AUTH_SIG, CONTRACT, NOW, OTHER_CONTRACT, WALLET } from '../examples.ts'
import type { Operation } from '../operation.ts'

const player = { playerId: WALLET, currency: 'USDG' }
const id = 'spin-7f3a-debit'
const moved = {
  balance: 97.5,
  balanceBefore: 100,
  balanceWei: '97500000',
  balanceBeforeWei: '100000000',
}

const signedBy = { wallet: WALLET, authSig: AUTH_SIG, partner: 'acme', token: 'USDG' }
const permission = {
  partner: 'acme',
  token: 'USDG',
  nonce: 1,
  maxPerDayWei: '50000000',
  expiresAt: NOW / 1000 + 30 * 86_400,
  usedWei: '2500000',
  consent: 'required',
  debits: true,
  maxPerHourWei: '1000000000',
}

export const walletOperations: Operation[] = [
  {
    method: 'get',
    path: '/api/wallet/balance',
    id: 'getBalance',
    tag: 'Wallet bridge',
    summary: "A player's chips",
    calls: [
      {
        name: 'balance',
        summary: "A player's chips",
        description: 'Of a player nobody has heard of: 0.',
        caller: 'partner',
        limit: 'bridge',
        query: BalanceQuery,
        answers: { 200: BalanceAnswer },
        refusals: ['invalid_request'],
        example: { query: player, answer: { balance: 97.5, balanceWei: '97500000' } },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/wallet/transaction',
    id: 'postTransaction',
    tag: 'Wallet bridge',
    summary: 'Debit or credit a player',
    calls: [
      {
        name: 'transaction',
        summary: 'Debit or credit a player',
        description:
          'Once for each `partnerTransactionId`: the same call again is answered as the first was, byte for byte, refusals for want of chips and for limits included. What it moves is `amountWei`, or exactly what `amount` says where that stands alone. A field whose name differs from a known one in letter case, `_` or `-` alone is refused.',
        caller: 'partner',
        limit: 'bridge',
        body: TransactionBody,
        answers: { 200: TransferAnswer },
        refusals: [
          'insufficient_chips',
          'payout_limit',
          'permission_required',
          'idempotency_conflict',
          'transaction_rolled_back',
          'chain_unavailable',
          'ledger_full',
          'closed',
        ],
        example: {
          body: { ...player, amountWei: '-2500000', partnerTransactionId: id },
          answer: { partnerTransactionId: id, ...moved },
        },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/wallet/rollback',
    id: 'postRollback',
    tag: 'Wallet bridge',
    summary: 'Undo a transaction',
    calls: [
      {
        name: 'rollback',
        summary: 'Undo a transaction',
        description:
          'Wholly or not at all, once. An original that never came is buried: should it come late, it is refused. A second rollback, or one of a refused original, moves nothing.',
        caller: 'partner',
        limit: 'bridge',
        body: RollbackBody,
        answers: { 200: TransferAnswer },
        refusals: [
          'insufficient_chips',
          'payout_limit',
          'idempotency_conflict',
          'chain_unavailable',
        ],
        example: {
          body: {
            ...player,
            partnerTransactionId: 'spin-7f3a-undo',
            originalTransactionId: id,
          },
          answer: {
            partnerTransactionId: 'spin-7f3a-undo',
            balance: 100,
            balanceBefore: 97.5,
            balanceWei: '100000000',
            balanceBeforeWei: '97500000',
          },
        },
      },
    ],
  },
  {
    method: 'get',
    path: '/api/wallet/statement',
    id: 'getStatement',
    tag: 'Wallet bridge',
    summary: 'What the partner has moved at a player',
    calls: [
      {
        name: 'statement',
        summary: 'What the partner has moved at a player',
        description: 'Page by page, the oldest first, for both sides’ books to be compared.',
        caller: 'partner',
        limit: 'bridge',
        query: StatementQuery,
        answers: { 200: StatementAnswer },
        refusals: ['invalid_request'],
        example: {
          query: { ...player, from: String(NOW - 86_400_000) },
          answer: {
            entries: [
              {
                partnerTransactionId: id,
                ...moved,
                type: 'transaction',
                amount: -2.5,
                amountWei: '-2500000',
                at: NOW,
                cursor: 2,
              },
            ],
            next: null,
          },
        },
      },
    ],
  },
  {
    method: 'get',
    path: '/api/wallet/permissions',
    id: 'getPermissions',
    tag: 'Wallet bridge',
    summary: 'What a player permits partners to debit',
    calls: [
      {
        name: 'permissions',
        summary: 'What a player permits partners to debit',
        description:
          'One entry for every configured partner and token. `domain` and `tokens` are what the EIP-712 data of a grant is made of.',
        caller: 'wallet',
        limit: 'reads',
        query: Credentials,
        answers: { 200: PermissionsAnswer },
        refusals: [],
        example: {
          query: { wallet: WALLET, authSig: AUTH_SIG },
          answer: {
            ok: true,
            domain: {
              name: 'FairhouseVault',
              version: '1',
              chainId: 1,
              verifyingContract: CONTRACT,
            },
            tokens: { ETH: `0x${'0'.repeat(40)}`, USDG: OTHER_CONTRACT },
            permissions: [permission],
          },
        },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/wallet/permission',
    id: 'postPermission',
    tag: 'Wallet bridge',
    summary: 'Permit a partner to debit, or end that',
    calls: [
      {
        name: 'grant',
        summary: 'Permit a partner to debit up to a daily limit',
        description:
          'Replaces an earlier permission for the partner and token. Where `consent` is `required` the partner can debit nothing without one. Debits count for 24 hours, by the minute; a rollback gives them back.',
        caller: 'wallet',
        limit: 'money',
        body: signedAction('grant', GrantBody),
        answers: { 200: PermissionAnswer },
        refusals: ['nonce_mismatch', 'signature_invalid', 'not_found', 'ledger_full'],
        example: {
          body: {
            action: 'grant',
            ...signedBy,
            maxPerDayWei: permission.maxPerDayWei,
            expiresAt: permission.expiresAt,
            nonce: 0,
            signature: AUTH_SIG,
          },
          answer: { ok: true, permission },
        },
      },
      {
        name: 'revoke',
        summary: 'End a permission',
        description: 'At once, and for what is signed with the present nonce and not yet granted.',
        caller: 'wallet',
        limit: 'money',
        body: signedAction('revoke', RevokeBody),
        answers: { 200: PermissionAnswer },
        refusals: ['not_found'],
        example: {
          body: { action: 'revoke', ...signedBy },
          answer: {
            ok: true,
            permission: { ...permission, nonce: 2, maxPerDayWei: '0', expiresAt: null },
          },
        },
      },
    ],
  },
]
