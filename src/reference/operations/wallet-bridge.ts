import { Credentials } from '../../api/http/schema.ts'
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
import { signedAction } from '../bodies.ts'
import { AUTH_SIG, CONTRACT, NOW, OTHER_CONTRACT, SIGNED, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const player = { playerId: WALLET, currency: 'USDG' }
const id = 'spin-9b1d7a2f4c1e9b60-debit'
const moved = {
  balance: 97.5,
  balanceBefore: 100,
  balanceWei: '97500000',
  balanceBeforeWei: '100000000',
}

const signedBy = { ...SIGNED, partner: 'acme', token: 'USDG' }
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

export const walletOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/wallet/balance',
    id: 'getBalance',
    summary: "A player's chips",
    name: 'balance',
    description: 'An unknown player has a balance of 0.',
    caller: 'partner',
    limit: 'bridge',
    query: BalanceQuery,
    answers: { 200: BalanceAnswer },
    refusals: ['invalid_request'],
    example: { query: player, answer: { balance: 97.5, balanceWei: '97500000' } },
  },
  {
    method: 'post',
    path: '/api/wallet/transaction',
    id: 'postTransaction',
    summary: 'Debit or credit a player',
    name: 'transaction',
    description:
      'Carried out once per `partnerTransactionId`: repeating a call returns the same answer byte for byte, including refusals for insufficient chips and for limits. The amount is `amountWei` or, if only `amount` is sent, exactly that. A field name that differs from a known one only in letter case, `_` or `-` is refused.',
    caller: 'partner',
    limit: 'bridge',
    body: TransactionBody,
    answers: { 200: TransferAnswer },
    receiptHeader: true,
    refusals: [
      'insufficient_chips',
      'payout_limit',
      'permission_required',
      'idempotency_conflict',
      'transaction_rolled_back',
      'chain_unavailable',
      'ledger_full',
      'excluded',
      'limit_reached',
      'wallet_frozen',
      'archive_unavailable',
      'closed',
    ],
    example: {
      body: { ...player, amountWei: '-2500000', partnerTransactionId: id },
      answer: { partnerTransactionId: id, ...moved },
    },
  },
  {
    method: 'post',
    path: '/api/wallet/rollback',
    id: 'postRollback',
    summary: 'Roll back a transaction',
    name: 'rollback',
    description:
      'Reverses a transaction once, in full or not at all. An original that has not arrived yet is refused if it arrives later. A second rollback, or a rollback of a refused original, moves nothing. Reversing a credit that is more than 24 hours old is a debit of now, which needs the player’s permission.',
    caller: 'partner',
    limit: 'bridge',
    body: RollbackBody,
    answers: { 200: TransferAnswer },
    receiptHeader: true,
    refusals: [
      'insufficient_chips',
      'payout_limit',
      'permission_required',
      'idempotency_conflict',
      'chain_unavailable',
      'wallet_frozen',
      'archive_unavailable',
      'closed',
      'ledger_full',
    ],
    example: {
      body: {
        ...player,
        partnerTransactionId: 'spin-9b1d7a2f4c1e9b60-undo',
        originalTransactionId: id,
      },
      answer: {
        partnerTransactionId: 'spin-9b1d7a2f4c1e9b60-undo',
        balance: 100,
        balanceBefore: 97.5,
        balanceWei: '100000000',
        balanceBeforeWei: '97500000',
      },
    },
  },
  {
    method: 'get',
    path: '/api/wallet/statement',
    id: 'getStatement',
    summary: "The partner's entries in a player's journal",
    name: 'statement',
    description: "Pages of entries, oldest first, to compare both sides' books.",
    caller: 'partner',
    limit: 'bridge',
    query: StatementQuery,
    answers: { 200: StatementAnswer },
    refusals: ['invalid_request', 'archive_unavailable'],
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
  {
    method: 'get',
    path: '/api/wallet/permissions',
    id: 'getPermissions',
    summary: "A player's permissions for partners' debits",
    name: 'permissions',
    description:
      'One entry for every configured partner and token. `domain` and `tokens` are the values for the EIP-712 data of a grant.',
    caller: 'wallet',
    limit: 'reads',
    query: Credentials,
    answers: { 200: PermissionsAnswer },
    example: {
      query: SIGNED,
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
  {
    method: 'post',
    path: '/api/wallet/permission',
    id: 'postPermission',
    summary: "Grant or revoke a partner's permission to debit",
    calls: [
      {
        name: 'grant',
        summary: 'Permit a partner to debit up to a daily limit',
        description:
          'Replaces any earlier permission for the partner and token. If `consent` is `required`, the partner cannot debit without one. While it is `implied`, permissions bind nothing: the player’s own limits do (`POST /api/limits`). A debit counts against the limit for 24 hours, to the minute, unless it is rolled back.',
        caller: 'wallet',
        limit: 'money',
        networkLimit: 'newWallets',
        body: signedAction('grant', GrantBody),
        answers: { 200: PermissionAnswer },
        refusals: ['nonce_mismatch', 'signature_invalid', 'not_found', 'ledger_full', 'closed'],
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
        summary: 'Revoke a permission',
        description:
          'Takes effect immediately if `consent` is `required`. It also invalidates any permission signed with the current nonce but not yet granted.',
        caller: 'wallet',
        limit: 'money',
        networkLimit: 'newWallets',
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
