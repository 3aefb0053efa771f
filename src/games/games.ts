import { listed } from '../core/words.ts'
import { toMultiplier } from '../money/multiplier.ts'
import type { ParamField } from './fields.ts'
import type { GameSpec } from './game.ts'
import { GAMES } from './registry.ts'

type Registered = typeof GAMES
export type GameName = keyof Registered

export type ParamsOf = {
  [G in GameName]: Registered[G] extends GameSpec<infer Params, infer _> ? Params : never
}
export type MetaOf = {
  [G in GameName]: Registered[G] extends GameSpec<infer _, infer Meta> ? Meta : never
}
type Specs = { [G in GameName]: GameSpec<ParamsOf[G], MetaOf[G]> }

const SPECS: Specs = GAMES

export const GAME_NAMES = Object.keys(GAMES) as GameName[]

export function specOf<G extends GameName>(game: G): Specs[G] {
  return SPECS[game]
}

/** A game and what was chosen in it. */
export type Selection<G extends GameName = GameName> = {
  [Name in G]: { game: Name; params: ParamsOf[Name] }
}[G]

/** A game and what came out in it. */
export type Result<G extends GameName = GameName> = {
  [Name in G]: { game: Name; meta: MetaOf[Name] }
}[G]

/** What was chosen, as the result shows it. */
export function selectionOf<G extends GameName>({ game, meta }: Result<G>): Selection<G> {
  return { game, params: specOf(game).chosen(meta) }
}

/** What was chosen, as a request has it. */
export function wireParams<G extends GameName>({ game, params }: Selection<G>): object {
  const fields: Record<string, ParamField> = specOf(game).params
  return Object.fromEntries(
    Object.entries<unknown>(params).map(([name, value]) => {
      const field = fields[name]
      const wireValue = field?.kind === 'hundredths' ? toMultiplier(Number(value)) : value
      return [wireNameOf(name, field), wireValue]
    }),
  )
}

/** A parameter's name in a request. */
export function wireNameOf(name: string, field: ParamField | undefined): string {
  return (field && 'wireName' in field ? field.wireName : undefined) ?? name
}

/** Whether pay tables say what a game pays; else it pays by the edge. */
export function isPaidByTables(game: GameName): boolean {
  return specOf(game).tables !== undefined
}

/** The games that pay by tables, or those that pay by the edge, as a sentence lists them. */
export function gamesPaidBy(by: 'tables' | 'edge'): string {
  return listed(GAME_NAMES.filter((game) => isPaidByTables(game) === (by === 'tables')))
}

/** The version of the pay tables that new plays are paid by. */
export function newestTables(): number {
  return Math.max(1, ...GAME_NAMES.flatMap(versionsOf))
}

export function areKnownTables(version: number): boolean {
  return Number.isInteger(version) && version >= 1 && version <= newestTables()
}

function versionsOf(game: GameName): number[] {
  return specOf(game).tables?.versions.map(({ since }) => since) ?? []
}
