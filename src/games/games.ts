import { listed } from '../core/words.ts'
import { toMultiplier } from '../money/multiplier.ts'
import type { ParamField } from './fields.ts'
import type { GameSpec } from './game.ts'
import { GAMES } from './registry.ts'

type Registered = typeof GAMES
export type GameName = keyof Registered

type ParamsOf = {
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

/** A game and the choices made in it. */
export type Selection<G extends GameName = GameName> = {
  [Name in G]: { game: Name; params: ParamsOf[Name] }
}[G]

/** A game and the details of its outcome. `game` says which. */
export type Result<G extends GameName = GameName> = {
  [Name in G]: { game: Name; meta: MetaOf[Name] }
}[G]

/** Returns the choices that led to a result. */
export function selectionOf<G extends GameName>({ game, meta }: Result<G>): Selection<G> {
  return { game, params: specOf(game).chosen(meta) }
}

/** Returns the params of a selection in their wire form. */
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

/** Returns the selection that {@link wireParams} gave the params of. */
export function selectionFrom(game: GameName, wire: Record<string, unknown>): Selection {
  const fields: [string, ParamField][] = Object.entries(specOf(game).params)
  const params = fields.map(([name, field]) => {
    const value = wire[wireNameOf(name, field)]
    return [name, field.kind === 'hundredths' ? Math.round(Number(value) * 100) : value]
  })
  return { game, params: Object.fromEntries(params) as never }
}

/** Returns a parameter's name in a request. */
export function wireNameOf(name: string, field: ParamField | undefined): string {
  return (field && 'wireName' in field ? field.wireName : undefined) ?? name
}

/** Returns whether a game pays by tables. Other games pay by the edge. */
export function isPaidByTables(game: GameName): boolean {
  return specOf(game).tables !== undefined
}

/** Lists the games that pay by tables or by the edge, for a sentence. */
export function gamesPaidBy(by: 'tables' | 'edge'): string {
  return listed(GAME_NAMES.filter((game) => isPaidByTables(game) === (by === 'tables')))
}

/** Returns the version of the pay tables that pays new plays. */
export function newestTables(): number {
  return Math.max(1, ...GAME_NAMES.flatMap(versionsOf))
}

export function areKnownTables(version: number): boolean {
  return Number.isInteger(version) && version >= 1 && version <= newestTables()
}

function versionsOf(game: GameName): number[] {
  return specOf(game).tables?.versions.map(({ since }) => since) ?? []
}
