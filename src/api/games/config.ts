import { GAME_NAMES, newestTables } from '../../games/games.ts'
import type { EntropyRules } from '../../games/play.ts'
import { shownTables } from '../../games/shown-tables.ts'
import { shownBankroll, type Bankroll } from '../../money/bankroll.ts'
import { perToken } from '../../money/token.ts'
import { announcedMode, type ModesChange } from '../../operator/modes.ts'
import type { TermsSummary } from '../../transparency/terms.ts'

/** Returns the games' public configuration: the values the rules use, in wire form. */
export function publicConfig(
  { edgeBps, limits }: EntropyRules,
  bankroll: Bankroll | null,
  terms: TermsSummary,
  changes: readonly ModesChange[],
) {
  const tables = newestTables()
  return {
    ok: true,
    terms,
    games: GAME_NAMES,
    modes: Object.fromEntries(GAME_NAMES.map((game) => [game, announcedMode(changes, game)])),
    bounds: perToken((token) => ({ min: limits[token].min, max: limits[token].max })),
    maxPayout: perToken((token) => limits[token].maxPayout),
    bankroll: bankroll && shownBankroll(bankroll),
    edgeBps,
    ...shownTables(tables),
    tables,
  }
}
