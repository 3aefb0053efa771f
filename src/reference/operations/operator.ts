import { z } from 'zod'
import {
  ActAnswer,
  BooksAnswer,
  ModesAnswer,
  NextActAnswer,
  ReconciliationAnswer,
} from '../../api/operator/answers-schema.ts'
import { ActBody, BooksQuery } from '../../api/operator/schema.ts'
import { nextVersion } from '../../operator/modes.ts'
import { NOW, TX_HASH, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const order = {
  act: 'unfreeze',
  target: WALLET,
  reason: 'The deposit will not be mined again.',
  nonce: 0,
  expiresAt: Math.floor(NOW / 1_000) + 600,
} as const

const ModesQuery = z.object({ action: z.literal('modes').meta({ description: 'What to read.' }) })

const version = nextVersion(null, { modes: { crash: 'draining' } }, NOW)

const BALANCED = {
  ...{ holdings: '100000000', unbooked: '0', owed: '75000000', partners: '0', house: '25000000' },
  ...{ faucet: '0', inFlight: '0', drift: '0', driftingSince: null },
}

export const operatorOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/operate',
    id: 'getNextAct',
    summary: 'The switches, and the nonce of the next act',
    calls: [
      {
        name: 'next',
        summary: "The nonce of the vault owner's next act",
        limit: 'reads',
        answers: { 200: NextActAnswer },
        refusals: ['not_configured'],
        example: { answer: { ok: true, nonce: 0 } },
      },
      {
        name: 'modes',
        summary: "The operator's switches",
        description:
          'Each version takes effect at least ten seconds after it was set. The switches are `all`, `crash`, each game, `lootbox`, `boxes`, `withdrawals`, `token:<token>` and `partner:<id>`; `all` is everything except withdrawals. If several switches concern a call, the strictest counts. The public log has every version (kind `control`).',
        limit: 'reads',
        query: ModesQuery,
        answers: { 200: ModesAnswer },
        refusals: ['unknown_action'],
        example: { query: { action: 'modes' }, answer: { ok: true, version } },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/operate',
    id: 'postAct',
    summary: "Carry out an act of the vault's owner",
    name: 'act',
    description:
      "The vault's owner signs EIP-712 `OwnerAct(string act,string target,string reason,uint256 nonce,uint256 expiresAt)` in the vault's domain; `npm run operate` does this. Each nonce is carried out once; repeating the act returns its result.",
    limit: 'money',
    body: ActBody,
    answers: { 200: ActAnswer },
    refusals: ['not_configured', 'signature_invalid', 'nonce_mismatch', 'chain_unavailable'],
    example: {
      body: { ...order, signature: `0x${'5d'.repeat(64)}1b` },
      answer: {
        ok: true,
        act: {
          ...order,
          at: NOW,
          result: { isDone: true, message: 'Deposits written off: 1. Withdrawals continue.' },
        },
      },
    },
  },
  {
    method: 'get',
    path: '/api/operate/reconciliation',
    id: 'getReconciliation',
    summary: 'The vault against the ledgers',
    name: 'reconciliation',
    caller: 'monitor',
    description:
      'Each minute the vault’s holdings after a confirmed block are compared with what D1’s positions say, which are at most ten minutes behind their ledgers. What is in flight is bounded by the logs that a position may lack. A service without `METRICS_TOKEN` answers `not_found`.',
    limit: 'reads',
    answers: { 200: ReconciliationAnswer },
    refusals: ['not_found', 'not_configured'],
    example: {
      answer: {
        ok: true,
        reconciliation: {
          ...{ at: NOW, block: 21_000_000, blockHash: TX_HASH },
          books: {
            ETH: { ...BALANCED, holdings: '0', owed: '0', house: '0' },
            USDG: { ...BALANCED, holdings: '99999995', drift: '-5', driftingSince: NOW - 60_000 },
          },
          drifts: [
            {
              ...{ token: 'USDG', place: 'vault', amountWei: '-5' },
              ...{ since: NOW - 60_000, until: null },
            },
          ],
          ended: [],
        },
      },
    },
  },
  {
    method: 'get',
    path: '/api/operate/books',
    id: 'getBooks',
    summary: 'The books of some days',
    name: 'books',
    caller: 'monitor',
    description:
      'Each closed UTC day, from 00:15 on, counted from the journals: what was wagered and returned by game and partner, fees, prizes and gas. Each line debits one account and credits another. `npm run operate -- reproject books:<day>` counts a day again.',
    limit: 'reads',
    query: BooksQuery,
    answers: { 200: BooksAnswer },
    refusals: ['invalid_request', 'not_found'],
    example: {
      query: { from: '2026-11-22', to: '2026-11-22' },
      answer: {
        ok: true,
        days: [
          {
            ...{ day: '2026-11-22', countedAt: NOW, isClosed: true },
            ...{ wallets: 1, entries: 1, problems: [] },
          },
        ],
        rows: [
          {
            ...{ day: '2026-11-22', asset: 'USDG', kind: 'game', name: 'keno' },
            ...{ wagered: '1000000', returned: '0', ggr: '1000000' },
            ...{ fees: '0', prizes: '0', gas: '0' },
          },
        ],
        lines: [
          {
            ...{ day: '2026-11-22', asset: 'USDG', amountWei: '1000000' },
            ...{ debit: 'players:chips', credit: 'wagers:keno' },
          },
        ],
      },
    },
  },
]
