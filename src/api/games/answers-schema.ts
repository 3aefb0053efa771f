import { z } from 'zod'
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
import type { FeedPlay, NextPlay, PlayAnswer as Play } from '../../games/placement.ts'
import { GAMES } from '../../games/play.ts'
import { KENO_RISKS, RISKS, type KenoRisk, type Risk } from '../../games/tables.ts'

const edgeBps = count('The edge of mines and limbo, in hundredths of a percent.')
const tables = count('The version of the pay tables of plinko and keno, from 1 on.')
const tiles = (description: string) => z.array(z.int().min(0).max(24)).meta({ description })
const numbers = (description: string) => z.array(z.int().min(1).max(40)).meta({ description })

const table = (description: string) => z.array(z.number().min(0)).meta({ description })
const buckets = table('What each bucket pays.')
const plinkoTables = describes<Record<Risk, number[]>>()(
  z.object({ low: buckets, medium: buckets, high: buckets }),
)
const byPicks = z
  .record(z.string(), table('What each number of hits pays.'))
  .meta({ description: 'By the number of picks.' })

const config = {
  ok,
  games: z.array(z.enum(GAMES)).meta({ description: 'The games there are.' }),
  bounds,
  maxPayout,
  bankroll: Bankroll.nullable().meta({
    description: 'The bankroll that the limits keep to; null where there is no vault.',
  }),
  edgeBps,
  plinkoTables: plinkoTables.meta({
    description: 'What the buckets 0 to 16 of 16 rows pay, by risk.',
  }),
  plinkoRows: z
    .record(z.string(), plinkoTables)
    .meta({ description: 'The same for every number of rows, 8 to 16.' }),
  kenoTables: describes<Record<KenoRisk, Record<string, number[]>>>()(
    z.object({ classic: byPicks, low: byPicks, medium: byPicks, high: byPicks }),
  ).meta({ description: 'What 0, 1, … hits pay, by risk and number of picks, 1 to 10.' }),
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
  .union([
    z
      .object({
        mines: tiles('Where the mines are, in draw order.'),
        picked: tiles('The tiles picked.'),
      })
      .meta({ title: 'mines' }),
    z
      .object({
        result: z.number().min(1).meta({ description: 'The multiplier that was drawn.' }),
        target: z.number().meta({ description: 'The multiplier that was to be reached.' }),
      })
      .meta({ title: 'limbo' }),
    z
      .object({
        bucket: count('How many turns went right.'),
        path: z
          .string()
          .regex(/^[LR]{8,16}$/)
          .meta({ description: 'One letter a row, from the top: left or right.' }),
        rows: count('How many rows.'),
        risk: z.enum(RISKS).meta({ description: 'Which table paid.' }),
      })
      .meta({ title: 'plinko' }),
    z
      .object({
        draws: numbers('The ten numbers drawn, in draw order.'),
        picks: numbers('The numbers picked.'),
        hits: count('How many of the picks were drawn.'),
        risk: z.enum(KENO_RISKS).meta({ description: 'Which table paid.' }),
      })
      .meta({ title: 'keno' }),
  ])
  .meta({ id: 'EntropyMeta', description: 'What was drawn, by game.' })

const play = {
  game: z.enum(GAMES).meta({ description: 'The game.' }),
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
