import { GAME_NAMES, newestTables, specOf } from '../../games/games.ts'
import type { EntropyRules } from '../../games/play.ts'
import { shownBankroll, type Bankroll } from '../../money/bankroll.ts'
import { toMultiplier } from '../../money/multiplier.ts'
import { perToken } from '../../money/token.ts'

/** Returns the games' public configuration: the values the rules use, in wire form. */
export function publicConfig({ edgeBps, limits }: EntropyRules, bankroll: Bankroll | null) {
  const tables = newestTables()
  return {
    ok: true,
    games: GAME_NAMES,
    bounds: perToken((token) => ({ min: limits[token].min, max: limits[token].max })),
    maxPayout: perToken((token) => limits[token].maxPayout),
    bankroll: bankroll && shownBankroll(bankroll),
    edgeBps,
    ...shownTables(tables),
    tables,
  }
}

/** Returns every game's public pay tables, with hundredths as plain numbers. */
function shownTables(version: number): Record<string, unknown> {
  const shown = GAME_NAMES.map((game) => specOf(game).tables?.shown(version))
  const json = JSON.stringify(Object.assign({}, ...shown), (_, value: unknown) =>
    typeof value === 'number' ? toMultiplier(value) : value,
  )
  return JSON.parse(json) as Record<string, unknown>
}
