import { setBounded } from '../../core/bounded-map.ts'
import { isRefusal, type Refusal } from '../../core/refusal.ts'
import { crashRound, retried } from '../../objects.ts'
import { currentSnapshot, lastSeenRound } from './snapshot.ts'

/** Refusals of wallets without a bet, by the seed hash of a round whose bets have closed, and by wallet. */
const betless = new Map<string, Refusal>()
const MAX_BETLESS = 20_000

/**
 * Cashes out a wallet's bet in a round. Keys are free, and all of them ask the round's one object, so an isolate asks
 * it once about a wallet that has no bet: bets are fixed from their close.
 */
export async function cashOutOf(env: Env, wallet: string, roundId: number) {
  const seen = lastSeenRound()
  const isFixed = seen?.plan.roundId === roundId && seen.fixedBets !== null
  const key = isFixed ? `${seen.plan.seedHash} ${wallet}` : null
  const known = key === null ? undefined : betless.get(key)
  if (known) return known
  const result = await retried(async () => crashRound(env, roundId).cashOut(wallet))
  if (!isRefusal(result) || result.error.code !== 'no_open_bet') return result
  // Only a question that was asked after the close has a final answer. The next one will be, if they have closed by now.
  if (key !== null) setBounded(betless, key, result, MAX_BETLESS)
  else await currentSnapshot(env).catch(() => null)
  return result
}
