import { betsRootOf } from '../../crash/bets-root.ts'
import { SNAPSHOT_MS, type Snapshot } from '../../crash/state.ts'
import { noBets, SHOWN_BETS, type TableBets } from '../../crash/table-bets.ts'
import { TOKENS } from '../../money/token.ts'
import { crashRound, retried } from '../../objects.ts'

interface KeptBets {
  bets: TableBets
  askedAt: number
}

let kept: KeptBets | null = null
/** When a request of this isolate last began to ask the round. */
let askingSince = -Infinity

/** A cancelled request never reports the end of its call, so a call counts as lost after this long. */
const ASKING_MS = 1_000

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
  const table = await keptBets(env, roundId)
  // A round that nobody bet in erases itself.
  if (!table) return noBets(roundId, betsRoot)
  const isWhole = TOKENS.reduce((sum, token) => sum + table.totals[token].count, 0) <= SHOWN_BETS
  const isShown = isWhole || wallet === null || table.bets.some((bet) => bet.wallet === wallet)
  return isShown ? table : ((await betsOf(env, roundId, wallet)) ?? table)
}

async function keptBets(env: Env, roundId: number): Promise<TableBets | null> {
  const now = Date.now()
  const age = kept?.bets.roundId === roundId ? now - kept.askedAt : Infinity
  // One request asks for newer bets while the others still get these.
  const isAsking = now >= askingSince && now - askingSince < ASKING_MS
  if (kept && age >= 0 && age < (isAsking ? SNAPSHOT_MS : SNAPSHOT_MS / 2)) return kept.bets
  askingSince = now
  try {
    const bets = await betsOf(env, roundId, null)
    kept = bets && { bets, askedAt: now }
    return bets
  } finally {
    askingSince = -Infinity
  }
}

/** Returns a round's bets, with a wallet's own; null if the round has erased itself. */
export function betsOf(
  env: Env,
  roundId: number,
  wallet: string | null,
): Promise<TableBets | null> {
  return retried(async () => crashRound(env, roundId).tableBets(wallet))
}
