import { OPERATORS } from '../../api/dev/players.ts'
import {
  ActAnswer,
  BooksAnswer,
  EntriesAnswer,
  JournalAnswer,
  ModesAnswer,
  OperatorMessageAnswer,
  ReconciliationAnswer,
  StateAnswer,
  VerificationAnswer,
} from '../../api/operator/answers-schema.ts'
import {
  ActBody,
  BooksQuery,
  JournalQuery,
  JournalsQuery,
  SignInQuery,
} from '../../api/operator/schema.ts'
import { OPERATOR_SIGN_IN_MS, operatorMessage } from '../../auth/operator-message.ts'
import { actHash } from '../../chain/operator-act.ts'
import { entryHash, type JournalEntry } from '../../ledger/journal.ts'
import type { Act } from '../../operator/act.ts'
import type { ActRecord } from '../../operator/approval.ts'
import { nextEntry } from '../../operator/journal.ts'
import { nextVersion } from '../../operator/versions.ts'
import { CONTRACT, NOW, TX_HASH, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'
import { Action, inspectionOperations, OF_ACCESS } from './operator-inspection.ts'

const SITE = { domain: 'operate.example', origin: 'https://operate.example', chainId: 8453 }
const SCOPE = { site: SITE.origin, chainId: SITE.chainId, verifyingContract: CONTRACT } as const

const operator = OPERATORS[1]?.address ?? WALLET

const unfreeze: Act = {
  act: 'unfreeze',
  target: WALLET,
  reason: 'The deposit will not be mined again.',
  expiresAt: Math.floor(NOW / 1_000) + 3_600,
}

const hash = actHash(SCOPE, unfreeze)
const approval = { operator, role: 'treasurer', at: NOW } as const
const signature = `0x${'5d'.repeat(64)}1b`

const kept: ActRecord = {
  hash,
  ...unfreeze,
  needs: { role: 'treasurer', operators: 2 },
  approvals: [approval],
  decidedAt: null,
  result: null,
}

const version = nextVersion(null, { modes: { crash: 'draining' } }, NOW)

const ENTRY: Omit<JournalEntry, 'hash'> = {
  seq: 501,
  operationId: 'settle:12:0',
  request: '',
  at: NOW,
  postings: [{ token: 'USDG', from: 'in_play', to: 'house', amountWei: '1000000' }],
  result: '{"kind":"lost"}',
  headDigest: 'a7'.repeat(32),
  previousHash: '5c'.repeat(32),
}

const BALANCED = {
  holdings: '100000000',
  unbooked: '0',
  owed: '75000000',
  partners: '0',
  house: '25000000',
  faucet: '0',
  inFlight: '0',
  drift: '0',
  driftingSince: null,
}

export const operatorOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/operate',
    id: 'getOperation',
    summary: "What operators see: the service's state, their acts, and what is open",
    calls: [
      {
        name: 'state',
        summary: 'Everything that an operator sees at once',
        caller: 'operator',
        limit: 'reads',
        answers: { 200: StateAnswer },
        refusals: [...OF_ACCESS],
        example: {
          answer: {
            ok: true,
            operator: { wallet: operator, role: 'treasurer' },
            health: {
              status: 'degraded',
              parts: {
                outboxes: {
                  status: 'degraded',
                  ageMs: 61_000,
                  message: 'Some updates are late; nothing is lost.',
                },
              },
              at: NOW,
            },
            stuck: [{ class: 'Ledger', name: WALLET, messages: 2, since: NOW - 61_000 }],
            reserve: {
              balanceWei: '480000000000000000',
              reserveWei: '100000000000000000',
              poolWei: { ETH: '2500000000000000000', REWARD: '100000000000000000000' },
              isVaultPaused: false,
              withdrawalsWaiting: 1,
              prizesWaiting: 0,
            },
            switches: ['all', 'crash', 'withdrawals', 'token:ETH'],
            version,
            acts: { waiting: [kept], decided: [] },
          },
        },
      },
      {
        name: 'sign-in',
        summary: 'The message that an operator signs to look at the service',
        description:
          'EIP-4361, valid for 15 minutes. It orders nothing: each act needs a signature of its own.',
        limit: 'reads',
        query: Action('sign-in').extend(SignInQuery.shape),
        answers: { 200: OperatorMessageAnswer },
        refusals: ['invalid_request', ...OF_ACCESS],
        example: {
          query: { action: 'sign-in', wallet: operator },
          answer: {
            ok: true,
            message: operatorMessage(SITE, operator, NOW),
            issuedAt: NOW,
            expiresAt: NOW + OPERATOR_SIGN_IN_MS,
            scope: SCOPE,
          },
        },
      },
      {
        name: 'journal',
        summary: "The journal of operators' signatures, from its first entry",
        caller: 'operator',
        limit: 'reads',
        query: Action('journal').extend(JournalQuery.shape),
        answers: { 200: JournalAnswer },
        refusals: [...OF_ACCESS],
        example: {
          query: { action: 'journal', after: '0' },
          answer: {
            ok: true,
            entries: [nextEntry(null, { ...approval, act: unfreeze, actHash: hash, signature })],
          },
        },
      },
      {
        name: 'verify',
        summary: 'Has ledgers verify their journals, some with each call',
        description:
          'From the role support on. Each ledger replays its journal: the hash chain, the postings, and the balances that they add up to. So does each segment that is in the archive. A journal that ends before the entry that D1 has heard of is a failure, too. The wallets are those with a position in D1. `npm run operate -- verify-all` calls this until `next` is null.',
        caller: 'operator',
        limit: 'reads',
        query: Action('verify').extend(JournalsQuery.shape),
        answers: { 200: VerificationAnswer },
        refusals: ['invalid_request', 'role_required', ...OF_ACCESS],
        example: {
          query: { action: 'verify' },
          answer: { ok: true, wallets: 100, segments: 0, failures: [], next: WALLET },
        },
      },
      {
        name: 'journals',
        summary: 'All journals, some entries of one wallet with each call',
        description:
          'From the role admin on. The entries of every ledger, without anything secret. `npm run operate -- export` writes them into a folder and replays them there, so that a copy exists outside of the platform.',
        caller: 'operator',
        limit: 'reads',
        query: Action('journals').extend(JournalsQuery.shape),
        answers: { 200: EntriesAnswer },
        refusals: ['invalid_request', 'role_required', 'archive_unavailable', ...OF_ACCESS],
        example: {
          query: { action: 'journals', after: `${WALLET}:500` },
          answer: {
            ok: true,
            wallet: WALLET,
            entries: [{ ...ENTRY, hash: entryHash(ENTRY) }],
            next: `${WALLET}:501`,
          },
        },
      },
      {
        name: 'modes',
        summary: 'What operators have opened and closed',
        description:
          'Public. Each version takes effect at least ten seconds after it was set. The switches are `all`, `crash`, each game, `lootbox`, `boxes`, `withdrawals`, `token:<token>`, `partner:<id>` and `wallet:<address>`, which is shown while the wallet is closed for a restore of its ledger; `all` is everything except withdrawals. If several switches concern a call, the strictest counts. The public log has every version (kind `control`).',
        limit: 'reads',
        query: Action('modes'),
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
    summary: 'Order an act as an operator, or confirm one',
    name: 'act',
    description:
      "An operator signs EIP-712 `OperatorAct(string site,string act,string target,string reason,uint256 expiresAt)` in the domain `FairhouseOperators`, version 1, with the chain id and the vault as the verifying contract. One operator can stop something; what moves money takes a second one, who signs the very same data and sends it in the same way before it expires. An act's hash names it: it is carried out once, and repeating the call returns the act as it is. `npm run operate` and the page `/operate` do this.",
    limit: 'money',
    body: ActBody,
    answers: { 200: ActAnswer },
    refusals: ['signature_invalid', 'role_required', 'chain_unavailable', ...OF_ACCESS],
    example: {
      body: { ...unfreeze, operator, signature },
      answer: { ok: true, act: kept },
    },
  },
  {
    method: 'get',
    path: '/api/operate/reconciliation',
    id: 'getReconciliation',
    summary: 'The vault against the ledgers',
    name: 'reconciliation',
    caller: 'operator or monitor',
    description:
      'Each minute the vault’s holdings after a confirmed block are compared with what D1’s positions say, which are at most ten minutes behind their ledgers. What is in flight is what a position rightly lacks of its logs. A service without `METRICS_TOKEN` answers a reader of the metrics with `not_found`.',
    limit: 'reads',
    answers: { 200: ReconciliationAnswer },
    refusals: ['not_found', ...OF_ACCESS],
    example: {
      answer: {
        ok: true,
        reconciliation: {
          at: NOW,
          block: 21_000_000,
          blockHash: TX_HASH,
          books: {
            ETH: { ...BALANCED, holdings: '0', owed: '0', house: '0' },
            USDG: { ...BALANCED, holdings: '99999995', drift: '-5', driftingSince: NOW - 60_000 },
          },
          drifts: [
            {
              token: 'USDG',
              place: 'vault',
              amountWei: '-5',
              since: NOW - 60_000,
              until: null,
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
    caller: 'operator or monitor',
    description:
      'Each closed UTC day, from 00:15 on, counted from the journals: what was wagered and returned by game and partner, fees, prizes, gas, and what the house lost or a restored ledger moved. Each line debits one account and credits another. `npm run operate -- reproject books:<day>` counts a day again.',
    limit: 'reads',
    query: BooksQuery,
    answers: { 200: BooksAnswer },
    refusals: ['not_found', ...OF_ACCESS],
    example: {
      query: { from: '2026-11-22', to: '2026-11-22' },
      answer: {
        ok: true,
        days: [
          {
            day: '2026-11-22',
            countedAt: NOW,
            isClosed: true,
            wallets: 1,
            entries: 1,
            problems: [],
          },
        ],
        rows: [
          {
            day: '2026-11-22',
            asset: 'USDG',
            kind: 'game',
            name: 'keno',
            wagered: '1000000',
            returned: '0',
            ggr: '1000000',
            fees: '0',
            prizes: '0',
            gas: '0',
            losses: '0',
            restored: '0',
          },
        ],
        lines: [
          {
            day: '2026-11-22',
            asset: 'USDG',
            amountWei: '1000000',
            debit: 'players:chips',
            credit: 'wagers:keno',
          },
        ],
      },
    },
  },
  ...inspectionOperations,
]
