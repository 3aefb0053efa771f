import { z } from 'zod'
import {
  ComparedRoundAnswer,
  PartnersAnswer,
  PlayerAnswer,
  RoundsAnswer,
  StuckAnswer,
  VerifiedPlayerAnswer,
} from '../../api/operator/inspection-answers-schema.ts'
import { PlayerQuery, RoundQuery, WalletQuery } from '../../api/operator/schema.ts'
import { ACCOUNTS } from '../../ledger/accounts.ts'
import { TOTALS } from '../../ledger/totals.ts'
import { CONTRACT, NOW, SEED_HASH, TX_HASH, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

/** The refusals of an operator's call if Cloudflare Access is configured. */
export const OF_ACCESS = [
  ...(['token_missing', 'token_invalid', 'token_expired', 'upstream_failed'] as const),
]

export const Action = <Name extends string>(name: Name) =>
  z.object({ action: z.literal(name).meta({ description: 'What to read.' }) })

const zeros = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, '0']))

const balances = { ...zeros(ACCOUNTS), chips: '2500000', vault: '-2500000' }
const totals = { ...zeros(TOTALS), deposited: '2500000' }

const PARTNER_BOOKS = {
  creditLimitWei: '10000000000',
  dayLimitWei: '100000000000',
  maxDebtWei: '300000000000',
  debitHourWei: '1000000000',
  creditedWei: '5000000',
  debitedWei: '7000000',
  wagered: '90000000',
  returned: '80000000',
  settledWei: '4000000',
  owedWei: '6000000',
}

const round = {
  roundId: 812,
  kind: 'settled',
  endedAt: NOW,
  betCount: 4,
  crash: 1.85,
  reason: null,
  beacon: 4_242_424,
}

const voided = { ...round, roundId: 790, kind: 'voided', crash: null, reason: 'no beacon in time' }

export const inspectionOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/operate/stuck',
    id: 'getStuckMoney',
    summary: 'Money that does not move: withdrawals, prizes, deposits, freezes and messages',
    name: 'stuck',
    caller: 'operator',
    description: 'Each with its cause, what to do, and the acts that end it.',
    limit: 'reads',
    answers: { 200: StuckAnswer },
    refusals: [...OF_ACCESS],
    example: {
      answer: {
        ok: true,
        stuck: [
          {
            kind: 'freeze',
            name: WALLET,
            wallet: WALLET,
            asset: null,
            amountWei: null,
            since: NOW - 3_600_000,
            isStuck: true,
            cause: 'An operator has frozen the wallet: a stolen key.',
            remedy: 'End the freeze once its reason has gone.',
            acts: [{ act: 'unfreeze', target: WALLET }],
          },
        ],
      },
    },
  },
  {
    method: 'get',
    path: '/api/operate/player',
    id: 'getPlayer',
    summary: "A wallet's books",
    calls: [
      {
        name: 'books',
        summary: 'Balances, totals, withdrawals, limits and a page of the journal',
        description: 'For the role `support` or one above it.',
        caller: 'operator',
        limit: 'reads',
        query: PlayerQuery,
        answers: { 200: PlayerAnswer },
        refusals: ['not_found', 'unknown_action', 'archive_unavailable', ...OF_ACCESS],
        example: {
          query: { wallet: WALLET },
          answer: {
            ok: true,
            wallet: WALLET,
            entries: 1,
            openBets: 0,
            isFrozen: false,
            missingDeposits: 0,
            balances: { ETH: zeros(ACCOUNTS), USDG: balances },
            totals: { ETH: zeros(TOTALS), USDG: totals },
            withdrawals: [],
            journal: [
              {
                seq: 1,
                at: NOW,
                hash: SEED_HASH,
                operationId: `deposited:8453:${TX_HASH}:0:${CONTRACT}`,
                postings: [{ token: 'USDG', from: 'vault', to: 'chips', amountWei: '2500000' }],
              },
            ],
            next: null,
            protection: {
              limits: [],
              excluded: false,
              excludedUntil: null,
              realityCheckMinutes: null,
              session: {
                startedAt: null,
                wagered: { ETH: '0', USDG: '0' },
                net: { ETH: '0', USDG: '0' },
              },
            },
          },
        },
      },
      {
        name: 'verify',
        summary: 'Replays the journal, and says whether its entries add up to the balances',
        description: 'For the role `support` or one above it.',
        caller: 'operator',
        limit: 'reads',
        query: Action('verify').extend(WalletQuery.shape),
        answers: { 200: VerifiedPlayerAnswer },
        refusals: ['not_found', 'archive_unavailable', ...OF_ACCESS],
        example: {
          query: { action: 'verify', wallet: WALLET },
          answer: { ok: true, isRight: true, problem: null, entries: 1, archived: 0 },
        },
      },
    ],
  },
  {
    method: 'get',
    path: '/api/operate/partners',
    id: 'getPartners',
    summary: 'The partners: limits, switches, and what the house owes them',
    name: 'partners',
    caller: 'operator',
    description:
      'What the house owes a partner follows from the days that were counted, less what it was paid outside the service (`settled` in its configuration, negative if it has paid).',
    limit: 'reads',
    answers: { 200: PartnersAnswer },
    refusals: [...OF_ACCESS],
    example: {
      answer: {
        ok: true,
        countedTo: '2026-11-22',
        partners: [
          {
            id: 'acme',
            mode: 'open',
            keys: 1,
            consent: 'required',
            requireBodyHash: false,
            tokens: { ETH: PARTNER_BOOKS, USDG: PARTNER_BOOKS },
          },
        ],
        unlisted: [],
      },
    },
  },
  {
    method: 'get',
    path: '/api/operate/rounds',
    id: 'getRounds',
    summary: "The newest rounds and voids, and drand's own record of their beacons",
    calls: [
      {
        name: 'newest',
        summary: 'The newest rounds and the newest voided ones',
        caller: 'operator',
        limit: 'reads',
        answers: { 200: RoundsAnswer },
        refusals: ['unknown_action', ...OF_ACCESS],
        example: { answer: { ok: true, newest: [round], voided: [voided] } },
      },
      {
        name: 'beacon',
        summary: "Compares a round with drand's own record",
        description:
          'Asks drand’s relays for the beacon and verifies its signature. A round that was voided although they have the beacon waited for it in vain, or did not ask.',
        caller: 'operator',
        limit: 'reads',
        query: Action('beacon').extend(RoundQuery.shape),
        answers: { 200: ComparedRoundAnswer },
        refusals: ['not_found', ...OF_ACCESS],
        example: {
          query: { action: 'beacon', round: '790' },
          answer: {
            ok: true,
            roundId: 790,
            kind: 'voided',
            beacon: 4_242_424,
            publishedAt: NOW,
            signature: null,
            isSame: null,
          },
        },
      },
    ],
  },
]
