import { refuse, type Refusal } from '../../core/refusal.ts'
import { betsRootOf } from '../../crash/bets-root.ts'
import { SNAPSHOT_MS, type Snapshot } from '../../crash/state.ts'
import { noBets, SHOWN_BETS, type ShownBet, type TableBets } from '../../crash/table-bets.ts'
import { TOKENS } from '../../money/token.ts'
import { crashRound, retried } from '../../objects.ts'
import { BriefCache } from '../http/brief-cache.ts'

/** A copy is used for twice as long while another request reads a newer one. */
const tables = new BriefCache<TableBets | null>(SNAPSHOT_MS / 2)

/**
 * The most bets of single wallets that an isolate asks the round for at a time. Until its end the round decides
 * cash-outs; then many players ask within two seconds.
 */
const MAX_OWN_READS = { live: 4, ended: 32 }
/** A cancelled request never reports the end of its read, which counts as lost after this long. */
const OWN_READ_MS = 1_000
/** The reads under way, by when they began. */
const ownReads = new Set<{ startedAt: number }>()

const MANY_OWN_READS = refuse(
  'rate_limited',
  'Too many wallets are asking for their bets. Try again in a second, or leave out `wallet`.',
)

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
  if (countOwnReads() >= MAX_OWN_READS[result ? 'ended' : 'live']) return MANY_OWN_READS
  const own = await ownBet(env, roundId, wallet)
  return { ...table, bets: [...table.bets, ...own] }
}

/** Returns a round's bets, with a wallet's own; null if the round has erased itself. */
export function betsOf(
  env: Env,
  roundId: number,
  wallet: string | null,
): Promise<TableBets | null> {
  return retried(async () => crashRound(env, roundId).tableBets(wallet))
}

function countOwnReads(): number {
  const now = Date.now()
  for (const read of ownReads) {
    if (Math.abs(now - read.startedAt) >= OWN_READ_MS) ownReads.delete(read)
  }
  return ownReads.size
}

/** Returns the bet of a wallet in a round, alone; nothing without a bet. */
async function ownBet(env: Env, roundId: number, wallet: string): Promise<ShownBet[]> {
  const read = { startedAt: Date.now() }
  ownReads.add(read)
  try {
    const own = await retried(async () => crashRound(env, roundId).tableBets(wallet, true))
    // A round of an earlier version answers with the others, too.
    return own?.bets.filter((bet) => bet.wallet === wallet) ?? []
  } finally {
    ownReads.delete(read)
  }
}
