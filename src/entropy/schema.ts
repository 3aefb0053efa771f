import { z } from 'zod'
import { MAX_MULTIPLIER } from '../crash/curve.ts'
import { AmountWei, Multiplier, TokenName, Wallet, WholeNumber } from '../http/schema.ts'
import { KENO_NUMBERS, MAX_PICKS } from './keno.ts'
import { TILES } from './mines.ts'
import { GAMES } from './play.ts'
import { MAX_ROWS, MIN_ROWS } from './plinko.ts'
import { KENO_RISKS, RISKS } from './tables.ts'

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
const Tiles = z.union(
  [
    WholeNumber(1, TILES - 1).transform((count) =>
      Array.from({ length: count }, (_, tile) => tile),
    ),
    Distinct(0, TILES - 1, TILES - 1),
  ],
  `must be a number of tiles, or distinct tiles from 0 to ${TILES - 1}`,
)

const Mines = z
  .object({ mines: WholeNumber(1, TILES - 1), pick: Tiles })
  .refine(({ mines, pick }) => mines + pick.length <= TILES, {
    path: ['pick'],
    message: `mines and picks together are ${TILES} at most`,
  })
  .transform(({ mines, pick }) => ({ mines, picked: pick }))

const Limbo = z.object({ target: Multiplier(MIN_TARGET, MAX_MULTIPLIER) })

const Plinko = z
  .object({ risk: z.enum(RISKS), rows: WholeNumber(MIN_ROWS, MAX_ROWS).nullish() })
  .transform(({ risk, rows }) => ({ risk, rows: rows ?? MAX_ROWS }))

const Keno = z
  .object({ picks: Distinct(1, KENO_NUMBERS, MAX_PICKS), risk: z.enum(KENO_RISKS).nullish() })
  .transform(({ picks, risk }) => ({ picks, risk: risk ?? KENO_RISKS[0] }))

export const SelectionBody = z.discriminatedUnion('game', [
  z.object({ game: z.literal('mines'), params: Mines }),
  z.object({ game: z.literal('limbo'), params: Limbo }),
  z.object({ game: z.literal('plinko'), params: Plinko }),
  z.object({ game: z.literal('keno'), params: Keno }),
])

export const PlayBody = z.object({
  token: TokenName,
  amountWei: AmountWei,
  clientSeed: z
    .string()
    .regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 printable ASCII characters')
    .nullish(),
  nonce: WholeNumber(0, Number.MAX_SAFE_INTEGER).nullish(),
})

export const RecentBody = z.object({
  game: z.enum(GAMES).nullish(),
  wallet: Wallet.nullish(),
  limit: WholeNumber(1, MAX_RECENT).nullish(),
})
