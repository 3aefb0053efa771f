import { z } from 'zod'
import {
  ConfigAnswer,
  PlayAnswer,
  PlayDisclosureAnswer,
  RecentAnswer,
  WalletConfigAnswer,
} from '../../api/games/answers-schema.ts'
import { publicConfig } from '../../api/games/config.ts'
import { settle } from '../../games/play.ts'
import {
  PlayBody,
  PlayQuery,
  RecentBody,
  SelectionBody,
  WalletQuery,
} from '../../api/games/schema.ts'
import { newestTables } from '../../games/tables.ts'
import { action, signedAction } from '../bodies.ts'
import {
  AUTH_SIG,
  EDGE_BPS,
  ME,
  NEXT_SEED_HASH,
  NOW,
  SEED,
  SEED_HASH,
  STAKE,
  WALLET,
} from '../examples.ts'
import type { Operation } from '../operation.ts'

const clientSeed = 'my own luck'

const played = {
  ...settle(
    { game: 'mines', params: { mines: 3, picked: [0, 7, 12] } },
    { token: 'USDG', amountWei: BigInt(STAKE) },
    { seed: SEED, seedHash: SEED_HASH, clientSeed, nonce: 0 },
    { edgeBps: EDGE_BPS, tables: newestTables() },
  ),
  nextSeedHash: NEXT_SEED_HASH,
  settledAt: NOW,
}

const limits = { min: '10000', max: '500000000', maxPayout: '500000000000' }
const whole = publicConfig({ edgeBps: EDGE_BPS, limits: { ETH: limits, USDG: limits } }, null)

/** One table of each kind. */
const config = {
  ...whole,
  plinkoRows: { 8: whole.plinkoRows[8] },
  kenoTables: Object.fromEntries(
    Object.entries(whole.kenoTables).map(([risk, tables]) => [risk, { 1: tables[1] }]),
  ),
}

const [mines, limbo, plinko, keno] = SelectionBody.options

/** A body for each game, told apart by `game`. */
const play = z.discriminatedUnion('game', [
  playOf(mines).meta({ id: 'PlayMines' }),
  playOf(limbo).meta({ id: 'PlayLimbo' }),
  playOf(plinko).meta({ id: 'PlayPlinko' }),
  playOf(keno).meta({ id: 'PlayKeno' }),
])

function playOf(selection: z.ZodObject) {
  return signedAction('play', z.object({ ...selection.shape, ...PlayBody.shape }))
}

export const entropyOperations: Operation[] = [
  {
    method: 'get',
    path: '/api/entropy',
    id: 'getEntropy',
    tag: 'Entropy',
    summary: 'Bounds and tables of the games, and settled plays',
    calls: [
      {
        name: 'config',
        summary: 'Bounds and tables of the games',
        limit: 'reads',
        answers: { 200: ConfigAnswer },
        refusals: [],
        example: { answer: config },
      },
      {
        name: 'fairness',
        summary: 'The same, and what a wallet’s next play is committed to',
        description:
          'With `authSig` the service draws and stores the seed of the first play before it answers. Without it the call creates nothing: `fairness` is null until the wallet has made a signed call.',
        limit: 'reads',
        query: WalletQuery.required({ wallet: true }),
        answers: { 200: WalletConfigAnswer },
        refusals: ['invalid_request', 'auth_required', 'auth_invalid', 'chain_unavailable'],
        example: {
          query: { wallet: WALLET, authSig: AUTH_SIG },
          answer: { ...config, fairness: { nonce: 0, seedHash: SEED_HASH } },
        },
      },
      {
        name: 'play',
        summary: 'A play by its number',
        description:
          'Every settled play of a wallet, however old, with all that is needed to check it. A play that has not been made is `not_found`.',
        limit: 'reads',
        query: PlayQuery.extend({
          action: z.literal('play').meta({ description: 'What to read.' }),
        }),
        answers: { 200: PlayDisclosureAnswer },
        refusals: ['invalid_request', 'not_found', 'unknown_action'],
        example: {
          query: { action: 'play', wallet: WALLET, nonce: '0' },
          answer: { ok: true, wallet: WALLET, ...played },
        },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/entropy',
    id: 'postEntropy',
    tag: 'Entropy',
    summary: 'Play, and the newest plays',
    calls: [
      {
        name: 'play',
        summary: 'Play a game',
        description:
          'Settled at once, from the seed that was committed to before. With a `nonce` the call is safe to repeat.',
        caller: 'wallet',
        limit: 'money',
        body: play,
        answers: { 200: PlayAnswer },
        refusals: [
          'nonce_mismatch',
          'idempotency_conflict',
          'amount_out_of_bounds',
          'payout_limit',
          'insufficient_chips',
          'ledger_full',
        ],
        example: {
          body: {
            action: 'play',
            wallet: WALLET,
            authSig: AUTH_SIG,
            game: 'mines',
            params: { mines: 3, pick: [0, 7, 12] },
            token: 'USDG',
            amountWei: STAKE,
            clientSeed,
            nonce: 0,
          },
          answer: { ok: true, ...played, me: { chips: ME.chips } },
        },
      },
      {
        name: 'recent',
        summary: 'The newest plays',
        description: 'A play is in it within two seconds.',
        limit: 'reads',
        body: action('recent', RecentBody),
        answers: { 200: RecentAnswer },
        refusals: [],
        example: {
          body: { action: 'recent', game: 'mines', limit: 1 },
          answer: { ok: true, recent: [{ wallet: WALLET, ...played }] },
        },
      },
    ],
  },
]
