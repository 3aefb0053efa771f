import { z } from 'zod'
import { GAME_NAMES, gamesPaidBy } from '../../games/games.ts'
import type { MinesGame } from '../../games/mines/open.ts'
import type {
  FeedPlay,
  NextPlay,
  PlayAnswer as Play,
  StoredPlay,
} from '../../games/play-request.ts'
import { MODES } from '../../operator/modes.ts'
import { Bankroll, bounds, maxPayout } from '../crash/answers-schema.ts'
import {
  address,
  amount,
  component,
  bytes32,
  count,
  describes,
  flag,
  list,
  describedComponent,
  ok,
  oneOf,
  orNull,
  record,
  records,
  text,
  token,
  unixMs,
} from '../http/answers-schema.ts'
import { Chips } from '../ledger/answers-schema.ts'
import { receipt, TermsAnswer } from '../receipts/answers-schema.ts'
import { metaSchema, tableSchemas } from './fields-schema.ts'

const edgeBps = count(`The edge of ${gamesPaidBy('edge')}, in hundredths of a percent.`)
const tables = count(`The version of the pay tables of ${gamesPaidBy('tables')}, starting at 1.`)
const config = {
  ok,
  terms: TermsAnswer,
  games: list('The available games.', z.enum(GAME_NAMES)),
  modes: z
    .record(z.enum(GAME_NAMES), z.enum(MODES))
    .describe(
      "Each game's mode, as the operator has set it, even if that is yet to take effect. Only an `open` game takes plays; a `draining` one lets open games go on.",
    ),
  bounds,
  maxPayout,
  bankroll: orNull('The bankroll that bounds the limits; null without a vault.', Bankroll),
  edgeBps,
  ...Object.fromEntries(GAME_NAMES.flatMap((game) => Object.entries(tableSchemas(game)))),
  tables,
}

export const ConfigAnswer = component('EntropyConfig', config)

const Fairness = describes<NextPlay>()(
  record("The commitment of the wallet's next play.", {
    nonce: count("The next play's number."),
    seedHash: bytes32('sha256 of the seed that will decide the play'),
  }),
)

const Game = describes<MinesGame>()(
  describedComponent('MinesGame', 'A game of mines that is picked tile by tile.', {
    nonce: count("The number of the game's play."),
    seedHash: bytes32('sha256 of the seed that decides the mines'),
    nextSeedHash: bytes32("sha256 of the next play's seed"),
    clientSeed: text("The player's part of the randomness."),
    token,
    amountWei: amount('The stake'),
    mines: count('The number of mines.'),
    maxPicks: count(
      'The pick that ends the game and cashes it out: the one that you asked for, if any.',
    ),
    picked: list('The picked tiles, in the order picked.', z.int().min(0)),
    multiplier: z
      .number()
      .min(0)
      .describe('What a cash-out pays now, truncated to four decimals; 0 after a mine.'),
    next: orNull(
      'The multiplier after one more safe pick; null once the game has ended.',
      z.number(),
    ),
    payout: amount('What a cash-out pays now, rounded down'),
    openedAt: unixMs('When the game was opened'),
  }),
)

export const WalletConfigAnswer = component('EntropyWalletConfig', {
  ...config,
  fairness: orNull(
    "The commitment of the wallet's next play; null in an unsigned read before the wallet has requested its first commitment.",
    Fairness,
  ),
  openGame: orNull(
    "The wallet's open game of mines, or null; absent from an unsigned read.",
    Game,
  ).exactOptional(),
})

const Meta = z
  .union(GAME_NAMES.map(metaSchema))
  .meta({ id: 'EntropyMeta', description: 'The details of the outcome, by game.' })

/** Everything a verifier needs to check a play. */
export const settledFields = {
  game: oneOf('The game.', GAME_NAMES),
  token,
  amount: amount('The stake'),
  multiplier: z
    .number()
    .min(0)
    .describe('The paid multiplier, truncated to four decimals; 0 for a loss.'),
  payout: amount('The payout, from the exact multiplier, rounded down'),
  win: flag('Whether the play paid anything.'),
  seedHash: bytes32('sha256 of the seed, as shown before the play'),
  seed: bytes32('The seed'),
  clientSeed: text("The player's part of the randomness."),
  nonce: count("The play's number."),
  meta: Meta,
  edgeBps,
  tables,
}

const play = {
  ...settledFields,
  nextSeedHash: bytes32("sha256 of the next play's seed"),
  settledAt: unixMs('When the play was settled'),
}

export const PlayAnswer = describes<Play>()(
  component('PlayAnswer', {
    ok,
    ...play,
    me: record("The wallet's chips after the play.", { chips: Chips }),
    receipt,
  }),
)

const afterStep = { me: record("The wallet's chips after the step.", { chips: Chips }), receipt }

export const OpenAnswer = component('MinesOpenAnswer', { ok, game: Game, ...afterStep })

export const PickAnswer = component('MinesPickAnswer', {
  ok,
  hit: flag('Whether the tile was a mine, which ends the game.'),
  game: Game,
  play: orNull(
    'The disclosed play once the game has ended; null before.',
    describes<StoredPlay>()(component('MinesPlay', play)),
  ),
  ...afterStep,
})

export const PlayDisclosureAnswer = describes<{ ok: true } & FeedPlay>()(
  describedComponent('DisclosedPlay', 'Everything needed to check a play.', {
    ok,
    wallet: address('The player'),
    ...play,
  }),
)

export const RecentAnswer = describes<{ ok: true; recent: FeedPlay[] }>()(
  component('RecentPlays', {
    ok,
    recent: records('The latest plays, newest first.', { wallet: address('Who played'), ...play }),
  }),
)
