import { betsRootOf } from '../../crash/bets-root.ts'
import { SNAPSHOT_MS, type Snapshot } from '../../crash/state.ts'
import { noBets, SHOWN_BETS, type TableBets } from '../../crash/table-bets.ts'
import { TOKENS } from '../../money/token.ts'
import { crashRound, retried } from '../../objects.ts'
import { BriefCache } from '../http/brief-cache.ts'

/** A copy is used for twice as long while another request reads a newer one. */
const tables = new BriefCache<TableBets | null>(SNAPSHOT_MS / 2)

/**
 * Returns the bets of the round that a snapshot shows, at most 250 ms behind the round. The isolate keeps them
 * for all callers; only a caller whose own bet is not among the largest costs a call.
 */
export async function currentBets(
  env: Env,
  { plan, fixedBets }: Snapshot,
  wallet: string | null,
): Promise<TableBets> {
  const { roundId } = plan
  const betsRoot = fixedBets && betsRootOf([])
  const table = await tables.get(String(roundId), () => betsOf(env, roundId, null))
  // A round that nobody bet in erases itself.
  if (!table) return noBets(roundId, betsRoot)
  const isWhole = TOKENS.reduce((sum, token) => sum + table.totals[token].count, 0) <= SHOWN_BETS
  const isShown = isWhole || wallet === null || table.bets.some((bet) => bet.wallet === wallet)
  return isShown ? table : ((await betsOf(env, roundId, wallet)) ?? table)
}

/** Returns a round's bets, with a wallet's own; null if the round has erased itself. */
export function betsOf(
  env: Env,
  roundId: number,
  wallet: string | null,
): Promise<TableBets | null> {
  return retried(async () => crashRound(env, roundId).tableBets(wallet))
}
