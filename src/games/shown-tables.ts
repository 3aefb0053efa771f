import { toMultiplier } from '../money/multiplier.ts'
import { GAME_NAMES, specOf } from './games.ts'

/** Returns every game's public pay tables of a version, with hundredths as plain numbers. */
export function shownTables(version: number): Record<string, unknown> {
  const shown = GAME_NAMES.map((game) => specOf(game).tables?.shown(version))
  const json = JSON.stringify(Object.assign({}, ...shown), (_, value: unknown) =>
    typeof value === 'number' ? toMultiplier(value) : value,
  )
  return JSON.parse(json) as Record<string, unknown>
}
