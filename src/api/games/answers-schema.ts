import { z } from 'zod'
import { GAME_NAMES, gamesPaidBy } from '../../games/games.ts'
import type { FeedPlay, NextPlay, PlayAnswer as Play } from '../../games/placement.ts'
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

export const WalletConfigAnswer = component('EntropyWalletConfig', {
  ...config,
  fairness: orNull(
    "The commitment of the wallet's next play; null in an unsigned read before the wallet has requested its first commitment.",
    Fairness,
  ),
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

export const PlayDisclosureAnswer = describes<{ ok: true } & FeedPlay>()(
  describedComponent('DisclosedPlay', 'Everything needed to check a play.', {
    ok,
    wallet: address('Who played'),
    ...play,
  }),
)

export const RecentAnswer = describes<{ ok: true; recent: FeedPlay[] }>()(
  component('RecentPlays', {
    ok,
    recent: records('The latest plays, newest first.', { wallet: address('Who played'), ...play }),
  }),
)
