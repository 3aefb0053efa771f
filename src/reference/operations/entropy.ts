import { z } from 'zod'
import {
  ConfigAnswer,
  OpenAnswer,
  PickAnswer,
  PlayAnswer,
  PlayDisclosureAnswer,
  RecentAnswer,
  WalletConfigAnswer,
} from '../../api/games/answers-schema.ts'
import { publicConfig } from '../../api/games/config.ts'
import {
  byGame,
  CashOutBody,
  OpenBody,
  PickBody,
  playBody,
  PlayQuery,
  RecentBody,
  WalletQuery,
} from '../../api/games/schema.ts'
import { capital } from '../../core/words.ts'
import { newestTables } from '../../games/games.ts'
import { shownGame } from '../../games/mines/open.ts'
import { settle } from '../../games/play.ts'
import type { HeldGame } from '../../ledger/head.ts'
import { action, signedAction } from '../bodies.ts'
import {
  EDGE_BPS,
  ME,
  NEXT_SEED_HASH,
  NOW,
  SEED,
  SEED_HASH,
  SIGNED,
  STAKE,
  TERMS,
  WALLET,
} from '../examples.ts'
import type { TagOperation } from '../operation.ts'

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

const opened: HeldGame = {
  nonce: 0,
  seed: SEED,
  nextSeedHash: NEXT_SEED_HASH,
  clientSeed,
  token: 'USDG',
  amountWei: BigInt(STAKE),
  mines: 3,
  maxPicks: 22,
  picked: [],
  edgeBps: EDGE_BPS,
  tables: newestTables(),
  terms: TERMS.hash,
  openedAt: NOW,
}

const limits = { min: '10000', max: '500000000', maxPayout: '500000000000' }
const rules = { edgeBps: EDGE_BPS, limits: { ETH: limits, USDG: limits } }
const whole = publicConfig(rules, null, TERMS, [])

/** Of tables by number only the first: one of each kind. */
const config = JSON.parse(
  JSON.stringify(whole, (_, value: unknown) => (isByNumber(value) ? firstOf(value) : value)),
) as typeof whole

function isByNumber(value: unknown): value is object {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.keys(value).every((key) => /^\d+$/.test(key))
}

function firstOf(tables: object): object {
  return Object.fromEntries(Object.entries(tables).slice(0, 1))
}

const play = byGame((game) =>
  signedAction('play', playBody(game)).meta({ id: `Play${capital(game)}` }),
)

const FIRST_PLAY =
  'Before a wallet’s first one, read `fairness` with `authSig`: otherwise its seed is drawn when the call arrives, and nobody could see its commitment before.'

export const entropyOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/entropy',
    id: 'getEntropy',
    summary: 'Bounds and tables of the games, and settled plays',
    calls: [
      {
        name: 'config',
        summary: 'Bounds and tables of the games',
        limit: 'reads',
        answers: { 200: ConfigAnswer },
        example: { answer: config },
      },
      {
        name: 'fairness',
        summary: 'The same, and what a wallet’s next play is committed to',
        description:
          'With `authSig` the service draws and stores the seed of the first play before it answers, and `openGame` is the wallet’s open game of mines. Without it the call creates nothing: `fairness` is null until the wallet has made a signed call.',
        limit: 'reads',
        networkLimit: 'newWallets',
        query: WalletQuery.required({ wallet: true }),
        answers: { 200: WalletConfigAnswer },
        refusals: ['invalid_request', 'auth_required', 'auth_invalid', 'chain_unavailable'],
        example: {
          query: SIGNED,
          answer: { ...config, fairness: { nonce: 0, seedHash: SEED_HASH }, openGame: null },
        },
      },
      {
        name: 'play',
        summary: 'A play by its number',
        description:
          'Every settled play of a wallet, however old, with all that is needed to check it. A play that has not been made is `not_found`.',
        limit: 'reads',
        networkLimit: 'walletReads',
        query: PlayQuery.extend({
          action: z.literal('play').meta({ description: 'What to read.' }),
        }),
        answers: { 200: PlayDisclosureAnswer },
        refusals: ['invalid_request', 'not_found', 'unknown_action', 'archive_unavailable'],
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
    summary: 'Play, and the newest plays',
    calls: [
      {
        name: 'play',
        summary: 'Play a game',
        description: `Settled at once, from the seed that was committed to before. With a \`nonce\` the call is safe to repeat. ${FIRST_PLAY}`,
        caller: 'wallet',
        limit: 'money',
        body: play,
        answers: { 200: PlayAnswer },
        refusals: [
          'nonce_mismatch',
          'idempotency_conflict',
          'terms_changed',
          'amount_out_of_bounds',
          'payout_limit',
          'insufficient_chips',
          'ledger_full',
          'excluded',
          'limit_reached',
          'wallet_frozen',
          'closed',
          'too_early',
          'archive_unavailable',
        ],
        example: {
          body: {
            action: 'play',
            ...SIGNED,
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
        name: 'mines-open',
        summary: 'Open a game of mines, to pick tile by tile',
        description: `Holds the stake, and reserves the number of the play. Other plays go on with the next number. A wallet has one open game at a time. One that its player leaves is cashed out 24 hours after it opened; without a pick its stake returns. ${FIRST_PLAY}`,
        caller: 'wallet',
        limit: 'money',
        body: signedAction('mines-open', OpenBody),
        answers: { 200: OpenAnswer },
        refusals: [
          'game_open',
          'nonce_mismatch',
          'idempotency_conflict',
          'terms_changed',
          'amount_out_of_bounds',
          'payout_limit',
          'insufficient_chips',
          'ledger_full',
          'wallet_frozen',
          'closed',
          'archive_unavailable',
        ],
        example: {
          body: {
            action: 'mines-open',
            ...SIGNED,
            params: { mines: 3 },
            maxPicks: 22,
            token: 'USDG',
            amountWei: STAKE,
            clientSeed,
            nonce: 0,
          },
          answer: { ok: true, game: shownGame(opened), me: { chips: ME.chips } },
        },
      },
      {
        name: 'mines-pick',
        summary: 'Pick a tile of the open game',
        description:
          'A mine ends the game. So does the last pick (`maxPicks`), which cashes it out. A repeated pick answers as before.',
        caller: 'wallet',
        limit: 'money',
        body: signedAction('mines-pick', PickBody),
        answers: { 200: PickAnswer },
        refusals: ['no_open_game', 'closed', 'archive_unavailable'],
        example: {
          body: { action: 'mines-pick', ...SIGNED, nonce: 0, tile: 0 },
          answer: {
            ok: true,
            hit: false,
            game: shownGame({ ...opened, picked: [0] }),
            play: null,
            me: { chips: ME.chips },
          },
        },
      },
      {
        name: 'mines-cashout',
        summary: 'Cash out the open game',
        description:
          'Ends the game after one pick or more, and answers it as a play. A repeated cash-out answers as before.',
        caller: 'wallet',
        limit: 'money',
        body: signedAction('mines-cashout', CashOutBody),
        answers: { 200: PlayAnswer },
        refusals: ['no_open_game', 'archive_unavailable'],
        example: {
          body: { action: 'mines-cashout', ...SIGNED, nonce: 0 },
          answer: { ok: true, ...played, me: { chips: ME.chips } },
        },
      },
      {
        name: 'recent',
        summary: 'The newest plays',
        description:
          'A play is in it within two seconds, and in the list of its wallet at once. Of a game with more than 100 plays a second, older ones may be left out. Of a wallet, the newest 100 plays are listed, or those of one game, as far as they are among its last 3,000 entries.',
        limit: 'reads',
        networkLimit: 'walletReads',
        body: action('recent', RecentBody),
        answers: { 200: RecentAnswer },
        refusals: ['invalid_request', 'archive_unavailable'],
        example: {
          body: { action: 'recent', game: 'mines', limit: 1 },
          answer: { ok: true, recent: [{ wallet: WALLET, ...played }] },
        },
      },
    ],
  },
]
