import { z } from 'zod'
import { settledFields } from '../../api/games/answers-schema.ts'
import { metaSchema } from '../../api/games/fields-schema.ts'
import { ClientSeed, SelectionBody } from '../../api/games/schema.ts'
import { Wallet } from '../../api/http/schema.ts'
import { invariant } from '../../core/invariant.ts'
import { parseJson } from '../../core/json.ts'
import {
  areKnownTables,
  GAME_NAMES,
  selectionOf,
  wireParams,
  type GameName,
  type Result,
  type Selection,
} from '../../games/games.ts'
import type { SettledPlay } from '../../games/play.ts'
import { FUN, TOKENS, type Token, type Unit } from '../../money/token.ts'
import { readAs } from './read.ts'

/** A play, with its wallet if the source names it. */
export type ReadPlay<U extends Unit = Token> = SettledPlay<GameName, U> & { wallet: string | null }

/** Returns the schema of a game's plays as answered. It refuses values that no service can answer. */
function playOf(game: GameName, units: readonly [Unit, ...Unit[]]) {
  return z.object({
    ...settledFields,
    token: z.enum(units),
    game: z.literal(game),
    wallet: Wallet.nullable().default(null),
    clientSeed: ClientSeed,
    meta: metaSchema(game),
    edgeBps: z.int().min(0).max(10_000),
    tables: z.int().refine(areKnownTables, 'names pay tables that this version does not know'),
  })
}

function playIn<U extends Unit>(units: readonly [U, ...U[]]) {
  const [first, ...others] = GAME_NAMES.map((game) => playOf(game, units))
  invariant(first, 'there is a game')
  return z
    .discriminatedUnion('game', [first, ...others])
    .transform((play) => play as unknown as ReadPlay<U>)
    .refine(couldBeChosen, 'is the result of a choice that no player can make')
}

/** A play in any answer. */
export const Play = playIn(TOKENS)

/** A play with fun chips, as the page gives it to its player. */
const FunPlay = playIn([FUN])

const Recent = z.object({ recent: z.array(Play) }).transform(({ recent }) => recent)
const Single = Play.transform((play) => [play])

/**
 * Reads settled plays from untrusted input.
 * @throws CommandError if it contains no play, with the place and the reason
 */
export function readPlays(value: unknown, source: string): ReadPlay[] {
  const isList = typeof value === 'object' && value !== null && 'recent' in value
  const schema: z.ZodType<ReadPlay[]> = isList ? Recent : Single
  return readAs(schema, value, `${source} is not a play, nor the answer of recent`)
}

/**
 * Reads the play in an answer to `play`. An answer in another form, such as a list, is refused.
 * @throws CommandError if it is not a play
 */
export function readPlay(value: unknown, source: string): ReadPlay {
  return readAs(Play, value, `${source} is not a play`)
}

/**
 * Reads plays that a player has saved: an answer, or a play with fun chips.
 * @throws CommandError if it is neither
 */
export function readSavedPlays(value: unknown, source: string): ReadPlay<Unit>[] {
  const isObject = typeof value === 'object' && value !== null
  const isFun = isObject && 'token' in value && value.token === FUN
  return isFun ? [readAs(FunPlay, value, `${source} is not a play`)] : readPlays(value, source)
}

/**
 * Returns whether the service would accept the choice that a result shows. A game of mines that its player has left
 * ends without a pick, so any tile could be picked.
 */
function couldBeChosen<G extends GameName>(result: Result<G>): boolean {
  const selection = selectionOf(result) as Selection
  const isUnpicked = selection.game === 'mines' && selection.params.picked.length === 0
  if (isUnpicked) selection.params.picked = [0]
  const params = wireParams(selection)
  return SelectionBody.safeParse(parseJson(JSON.stringify({ game: result.game, params }))).success
}
