import { toMultiplier } from '../../money/multiplier.ts'
import { shownBankroll, type Bankroll } from '../../money/bankroll.ts'
import { perToken } from '../../money/token.ts'
import { GAMES, type EntropyRules } from '../../games/play.ts'
import { newestTables, payTables } from '../../games/tables.ts'
import { MAX_ROWS } from '../../games/plinko.ts'

/** What anybody may know of the games: what the rules use, as the wire shows it. */
export function publicConfig({ edgeBps, limits }: EntropyRules, bankroll: Bankroll | null) {
  const tables = newestTables()
  const { plinko, keno } = payTables(tables)
  const plinkoRows = shown(plinko)
  return {
    ok: true,
    games: GAMES,
    bounds: perToken((token) => ({ min: limits[token].min, max: limits[token].max })),
    maxPayout: perToken((token) => limits[token].maxPayout),
    bankroll: bankroll && shownBankroll(bankroll),
    edgeBps,
    plinkoTables: plinkoRows[MAX_ROWS],
    plinkoRows,
    kenoTables: shown(keno),
    tables,
  }
}

/** Tables with their hundredths as numbers. */
function shown<A extends string | number, B extends string | number>(
  tables: Record<A, Record<B, readonly number[]>>,
): Record<A, Record<B, number[]>> {
  const json = JSON.stringify(tables, (_, value: unknown) =>
    typeof value === 'number' ? toMultiplier(value) : value,
  )
  return JSON.parse(json) as Record<A, Record<B, number[]>>
}
