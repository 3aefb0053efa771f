import {
  BalanceAnswer,
  StatementAnswer,
  TransferAnswer,
} from '../../wallet-bridge/answers-schema.ts'
import {
  BalanceQuery,
  RollbackBody,
  StatementQuery,
  TransactionBody,
} from '../../wallet-bridge/schema.ts'
import { NOW, WALLET } from '../examples.ts'
import type { Operation } from '../operation.ts'

const player = { playerId: WALLET, currency: 'USDG' }
const id = 'spin-7f3a-debit'
const moved = {
  balance: 97.5,
  balanceBefore: 100,
  balanceWei: '97500000',
  balanceBeforeWei: '100000000',
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
          'Once for each `partnerTransactionId`: the same call again is answered as the first was, byte for byte, refusals for want of chips and for limits included.',
        caller: 'partner',
        limit: 'bridge',
        body: TransactionBody,
        answers: { 200: TransferAnswer },
        refusals: [
          'insufficient_chips',
          'payout_limit',
          'idempotency_conflict',
          'transaction_rolled_back',
          'chain_unavailable',
          'ledger_full',
        ],
        example: {
          body: { ...player, amount: -2.5, partnerTransactionId: id },
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
]
