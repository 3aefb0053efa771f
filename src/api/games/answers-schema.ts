import { z } from 'zod'
import { GAME_NAMES, gamesPaidBy } from '../../games/games.ts'
import type { FeedPlay, NextPlay, PlayAnswer as Play } from '../../games/placement.ts'
import { Bankroll, bounds, maxPayout } from '../crash/answers-schema.ts'
import {
  address,
  amount,
  bytes32,
  count,
  describes,
  ok,
  text,
  token,
  unixMs,
} from '../http/answers-schema.ts'
import { Chips } from '../ledger/answers-schema.ts'
import { metaSchema, tableSchemas } from './fields-schema.ts'

const edgeBps = count(`The edge of ${gamesPaidBy('edge')}, in hundredths of a percent.`)
const tables = count(`The version of the pay tables of ${gamesPaidBy('tables')}, starting at 1.`)
const config = {
  ok,
  games: z.array(z.enum(GAME_NAMES)).meta({ description: 'The available games.' }),
  bounds,
  maxPayout,
  bankroll: Bankroll.nullable().meta({
    description: 'The bankroll that bounds the limits; null without a vault.',
  }),
  edgeBps,
  ...Object.fromEntries(GAME_NAMES.flatMap((game) => Object.entries(tableSchemas(game)))),
  tables,
}

export const ConfigAnswer = z.object(config).meta({ id: 'EntropyConfig' })

const Fairness = describes<NextPlay>()(
  z
    .object({
      nonce: count("The next play's number."),
      seedHash: bytes32('sha256 of the seed that will decide the play'),
    })
    .meta({ description: "The commitment of the wallet's next play." }),
)

export const WalletConfigAnswer = z
  .object({
    ...config,
    fairness: Fairness.nullable().meta({
      description:
        "The commitment of the wallet's next play; null in an unsigned read before the wallet has requested its first commitment.",
    }),
  })
  .meta({ id: 'EntropyWalletConfig' })

const Meta = z
  .union(GAME_NAMES.map(metaSchema))
  .meta({ id: 'EntropyMeta', description: 'The details of the outcome, by game.' })

/** Everything a verifier needs to check a play. */
export const settledFields = {
  game: z.enum(GAME_NAMES).meta({ description: 'The game.' }),
  token,
  amount: amount('The stake'),
  multiplier: z
    .number()
    .min(0)
    .meta({ description: 'The paid multiplier, truncated to four decimals; 0 for a loss.' }),
  payout: amount('The payout, from the exact multiplier, rounded down'),
  win: z.boolean().meta({ description: 'Whether the play paid anything.' }),
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
  z
    .object({
      ok,
      ...play,
      me: z.object({ chips: Chips }).meta({ description: "The wallet's chips after the play." }),
    })
    .meta({ id: 'PlayAnswer' }),
)

export const PlayDisclosureAnswer = describes<{ ok: true } & FeedPlay>()(
  z
    .object({ ok, wallet: address('Who played'), ...play })
    .meta({ id: 'DisclosedPlay', description: 'Everything needed to check a play.' }),
)

export const RecentAnswer = describes<{ ok: true; recent: FeedPlay[] }>()(
  z
    .object({
      ok,
      recent: z
        .array(z.object({ wallet: address('Who played'), ...play }))
        .meta({ description: 'The latest plays, newest first.' }),
    })
    .meta({ id: 'RecentPlays' }),
)
