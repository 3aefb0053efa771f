import { GAME_NAMES, specOf } from '../../../src/games/games.ts'
import type { TableVersion } from '../../../src/games/tables.ts'

/** Tables with every cell one hundredth higher: no winning play pays the same as before. */
function raised(pays: unknown): unknown {
  return JSON.parse(
    JSON.stringify(pays, (_, value: unknown) => (typeof value === 'number' ? value + 1 : value)),
  )
}

/** Registers a second version of the pay tables of these games. Returns a function that removes it. */
export function registerSecondTables(games = GAME_NAMES): () => void {
  const lists = games.flatMap((game) => {
    const versions = specOf(game).tables?.versions
    return versions ? [versions as TableVersion<unknown>[]] : []
  })
  for (const versions of lists) versions.push({ since: 2, pays: raised(versions[0]?.pays) })
  return () => {
    for (const versions of lists) versions.splice(1)
  }
}
