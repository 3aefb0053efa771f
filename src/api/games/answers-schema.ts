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
const tables = count(`The version of the pay tables of ${gamesPaidBy('tables')}, from 1 on.`)
const config = {
  ok,
  games: z.array(z.enum(GAME_NAMES)).meta({ description: 'The games there are.' }),
  bounds,
  maxPayout,
  bankroll: Bankroll.nullable().meta({
    description: 'The bankroll that the limits keep to; null where there is no vault.',
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
      seedHash: bytes32('sha256 of the seed that will decide it'),
    })
    .meta({ description: "What the wallet's next play is committed to." }),
)

export const WalletConfigAnswer = z
  .object({
    ...config,
    fairness: Fairness.nullable().meta({
      description:
        "What the wallet's next play is committed to; null in an unsigned read before the wallet has asked for its first commitment.",
    }),
  })
  .meta({ id: 'EntropyWalletConfig' })

const Meta = z
  .union(GAME_NAMES.map(metaSchema))
  .meta({ id: 'EntropyMeta', description: 'What was drawn, by game.' })

/** Everything that a verifier needs to check a play. */
export const settledFields = {
  game: z.enum(GAME_NAMES).meta({ description: 'The game.' }),
  token,
  amount: amount('The stake'),
  multiplier: z
    .number()
    .min(0)
    .meta({ description: 'What was paid, cut to four decimals; 0 when lost.' }),
  payout: amount('What was paid, from the exact multiplier, rounded down'),
  win: z.boolean().meta({ description: 'Whether anything was paid.' }),
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
  settledAt: unixMs('When it was settled'),
}

export const PlayAnswer = describes<Play>()(
  z
    .object({
      ok,
      ...play,
      me: z.object({ chips: Chips }).meta({ description: 'What the wallet has after the play.' }),
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
        .meta({ description: 'The newest plays, the newest first.' }),
    })
    .meta({ id: 'RecentPlays' }),
)
