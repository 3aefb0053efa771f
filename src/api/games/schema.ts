import { z } from 'zod'
import {
  Credentials,
  AmountWei,
  Multiplier,
  QueryNumber,
  TokenName,
  Wallet,
  WholeNumber,
} from '../http/schema.ts'
import { MAX_MULTIPLIER } from '../../money/multiplier.ts'
import { KENO_NUMBERS, MAX_PICKS } from '../../games/keno.ts'
import { TILES } from '../../games/mines.ts'
import { GAMES } from '../../games/play.ts'
import { MAX_ROWS, MIN_ROWS } from '../../games/plinko.ts'
import { KENO_RISKS, RISKS } from '../../games/tables.ts'

/** The bodies of POST /api/entropy, by action; `wallet` and `authSig` of a play are read before it. */

const MIN_TARGET = 101
const MAX_RECENT = 100

/** Distinct numbers of a range, in the order they came. */
function Distinct(min: number, max: number, most: number) {
  return z
    .array(WholeNumber(min, max))
    .min(1, 'pick at least one')
    .max(most, `pick at most ${most}`)
    .refine((picks) => new Set(picks).size === picks.length, 'pick each number once')
}

/** Tiles by their numbers, or how many: then the first ones. */
const Tiles = z
  .union(
    [
      WholeNumber(1, TILES - 1).transform((count) =>
        Array.from({ length: count }, (_, tile) => tile),
      ),
      Distinct(0, TILES - 1, TILES - 1),
    ],
    `must be a number of tiles, or distinct tiles from 0 to ${TILES - 1}`,
  )
  .meta({ description: 'The tiles by their numbers (0 to 24), or how many: then the first ones.' })

const Mines = z
  .object({
    mines: WholeNumber(1, TILES - 1).meta({
      description: `How many mines; with the picks ${TILES} at most.`,
    }),
    pick: Tiles,
  })
  .refine(({ mines, pick }) => mines + pick.length <= TILES, {
    path: ['pick'],
    message: `mines and picks together are ${TILES} at most`,
  })
  .transform(({ mines, pick }) => ({ mines, picked: pick }))

const Limbo = z.object({
  target: Multiplier(MIN_TARGET, MAX_MULTIPLIER).meta({
    description: 'The multiplier to reach, with at most two decimals.',
  }),
})

const Plinko = z
  .object({
    risk: z.enum(RISKS).meta({ description: 'Which table pays.' }),
    rows: WholeNumber(MIN_ROWS, MAX_ROWS)
      .nullish()
      .meta({ description: `How many rows of pins; ${MAX_ROWS} by default.` }),
  })
  .transform(({ risk, rows }) => ({ risk, rows: rows ?? MAX_ROWS }))

const Keno = z
  .object({
    picks: Distinct(1, KENO_NUMBERS, MAX_PICKS).meta({
      description: `1 to ${MAX_PICKS} distinct numbers from 1 to ${KENO_NUMBERS}.`,
    }),
    risk: z
      .enum(KENO_RISKS)
      .nullish()
      .meta({ description: `Which table pays; ${KENO_RISKS[0]} by default.` }),
  })
  .transform(({ picks, risk }) => ({ picks, risk: risk ?? KENO_RISKS[0] }))

function Selected<G extends string, P extends z.ZodType>(game: G, params: P) {
  return z.object({
    game: z.literal(game).meta({ description: 'The game.' }),
    params: params.meta({ description: 'What is chosen in it.' }),
  })
}

export const SelectionBody = z.discriminatedUnion('game', [
  Selected('mines', Mines),
  Selected('limbo', Limbo),
  Selected('plinko', Plinko),
  Selected('keno', Keno),
])

export const PlayBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  clientSeed: z
    .string()
    .regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters')
    .nullish()
    .meta({
      description:
        'Your part of the randomness; the lower-case wallet by default. Only a fresh one of your own rules out that the house knew it when it drew its seed.',
    }),
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).nullish().meta({
    description:
      "The play's number, which makes the call safe to repeat: one already played answers as it did. Without it a repetition is another play.",
  }),
})

/** Whose next play to show; with the wallet's signature also to commit to. */
export const WalletQuery = z.object({
  wallet: Wallet.optional(),
  authSig: Credentials.shape.authSig.optional(),
})

/** Which play to disclose. */
export const PlayQuery = z.object({
  wallet: Wallet,
  nonce: QueryNumber(0, Number.MAX_SAFE_INTEGER).meta({ description: "The play's number." }),
})

export const RecentBody = z.object({
  game: z.enum(GAMES).nullish().meta({ description: 'Plays of this game alone.' }),
  wallet: Wallet.nullish().meta({ description: 'Plays of this wallet alone.' }),
  limit: WholeNumber(1, MAX_RECENT).nullish().meta({ description: 'How many; 20 by default.' }),
})
