import { retried } from '../../calls/call.ts'
import { crashRound } from '../../calls/objects.ts'
import { isRefusal, type Refusal } from '../../core/refusal.ts'
import { betsRootOf } from '../../crash/bets-root.ts'
import { SNAPSHOT_MS, type Snapshot } from '../../crash/state.ts'
import { noBets, SHOWN_BETS, type ShownBet, type TableBets } from '../../crash/table-bets.ts'
import { TOKENS } from '../../money/token.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { ownRead } from './own-reads.ts'

/** A copy is used for twice as long while another request reads a newer one. */
const tables = new BriefCache<TableBets | null>(SNAPSHOT_MS / 2)

/**
 * Returns the bets of the round that a snapshot shows, at most 250 ms behind the round. The isolate keeps them
 * for all callers. Only a wallet whose bet is not among the largest costs a call, so the isolate makes few of
 * these at a time and refuses the others.
 */
export async function currentBets(
  env: Env,
  { plan, fixedBets, result }: Snapshot,
  wallet: string | null,
): Promise<TableBets | Refusal> {
  const { roundId } = plan
  const betsRoot = fixedBets && betsRootOf([])
  const table = await tables.get(String(roundId), () => betsOf(env, roundId, null))
  // A round that nobody bet in erases itself.
  if (!table) return noBets(roundId, betsRoot)
  const isWhole = TOKENS.reduce((sum, token) => sum + table.totals[token].count, 0) <= SHOWN_BETS
  const isShown = isWhole || wallet === null || table.bets.some((bet) => bet.wallet === wallet)
  if (isShown) return table
  const own = await ownRead(result !== null, () => ownBet(env, roundId, wallet))
  return isRefusal(own) ? own : { ...table, bets: [...table.bets, ...own] }
}

/** Returns a round's bets, with a wallet's own; null if the round has erased itself. */
export function betsOf(
  env: Env,
  roundId: number,
  wallet: string | null,
): Promise<TableBets | null> {
  return retried(async () => crashRound(env, roundId).tableBets(wallet))
}

/** Returns the bet of a wallet in a round, alone; nothing without a bet. */
async function ownBet(env: Env, roundId: number, wallet: string): Promise<ShownBet[]> {
  const own = await retried(async () => crashRound(env, roundId).tableBets(wallet, true))
  return own?.bets ?? []
}
