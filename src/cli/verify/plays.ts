import { z } from 'zod'
import { MAX_MULTIPLIER } from '../../money/multiplier.ts'
import { KENO_DRAWS, KENO_NUMBERS, MAX_PICKS } from '../../games/keno.ts'
import { TILES } from '../../games/mines.ts'
import { MAX_ROWS, MIN_ROWS } from '../../games/plinko.ts'
import { areKnownTables, KENO_RISKS, RISKS } from '../../games/tables.ts'
import { disclosedPlay } from '../../verify/disclosed.ts'
import type { DisclosedPlay } from '../../verify/play.ts'
import { Wallet } from '../../api/http/schema.ts'
import { parseAmount } from '../../money/amount.ts'
import { TOKENS } from '../../money/token.ts'
import { CommandError } from '../shared/terminal.ts'

/** A play with whose it is, where that is told. */
export type ReadPlay = DisclosedPlay & { wallet: string | null }

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
const Amount = z.string().refine((text) => parseAmount(text) !== null, 'must be an amount')
const distinct = (values: number[]) => new Set(values).size === values.length
const Tile = z
  .int()
  .min(0)
  .max(TILES - 1)
const Keno = z.int().min(1).max(KENO_NUMBERS)

const Common = z.object({
  wallet: Wallet.optional(),
  token: z.enum(TOKENS),
  amount: Amount,
  multiplier: z.number(),
  payout: Amount,
  win: z.boolean(),
  seedHash: Hash,
  seed: Hash,
  clientSeed: z.string().regex(/^[\x20-\x7e]{1,64}$/),
  nonce: z.int().min(0),
  edgeBps: z.int().min(0).max(10_000),
  tables: z.int().refine(areKnownTables, 'names pay tables that this version does not know'),
})

const Play = z.discriminatedUnion('game', [
  Common.extend({
    game: z.literal('mines'),
    meta: z
      .object({
        mines: z.array(Tile).min(1).refine(distinct),
        picked: z.array(Tile).min(1).refine(distinct),
      })
      .refine(({ mines, picked }) => mines.length + picked.length <= TILES),
  }),
  Common.extend({
    game: z.literal('limbo'),
    meta: z.object({
      result: z.number(),
      target: z
        .number()
        .min(1.01)
        .max(MAX_MULTIPLIER / 100),
    }),
  }),
  Common.extend({
    game: z.literal('plinko'),
    meta: z.object({
      bucket: z.int(),
      path: z.string(),
      rows: z.int().min(MIN_ROWS).max(MAX_ROWS),
      risk: z.enum(RISKS),
    }),
  }),
  Common.extend({
    game: z.literal('keno'),
    meta: z.object({
      draws: z.array(Keno).length(KENO_DRAWS),
      picks: z.array(Keno).min(1).max(MAX_PICKS).refine(distinct),
      hits: z.int(),
      risk: z.enum(KENO_RISKS),
    }),
  }),
])

const Recent = z.object({ recent: z.array(Play) }).transform(({ recent }) => recent)
const Single = Play.transform((play) => [play])

/**
 * Reads settled plays from what came from outside.
 * @throws CommandError if it holds none, saying what is wrong where
 */
export function readPlays(value: unknown, source: string): ReadPlay[] {
  const isList = typeof value === 'object' && value !== null && 'recent' in value
  const parsed = (isList ? Recent : Single).safeParse(value)
  if (parsed.success) return parsed.data.map(disclosed)
  const problems = z.prettifyError(parsed.error)
  throw new CommandError(`${source} is not a play, nor the answer of recent:\n${problems}`)
}

/**
 * Reads the one play of an answer to `play`. An answer in another form, a list for instance, is none.
 * @throws CommandError if it is not a play
 */
export function readPlay(value: unknown, source: string): ReadPlay {
  const parsed = Play.safeParse(value)
  if (parsed.success) return disclosed(parsed.data)
  throw new CommandError(`${source} is not a play:\n${z.prettifyError(parsed.error)}`)
}

function disclosed({ wallet, ...play }: z.infer<typeof Play>): ReadPlay {
  return { ...disclosedPlay(play), wallet: wallet ?? null }
}
