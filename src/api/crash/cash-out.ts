import { retried } from '../../calls/call.ts'
import { crashRound } from '../../calls/objects.ts'
import { setBounded } from '../../core/bounded-map.ts'
import { isRefusal, type Refusal } from '../../core/refusal.ts'
import type { SignedCall } from '../auth/signed.ts'
import { clientNetwork, hasMovedChips, limitBetlessCashOuts } from '../http/rate-limits.ts'
import { currentSnapshot, lastSeenRound } from './snapshot.ts'

/** Refusals of wallets without a bet, by the seed hash of a round whose bets have closed, and by wallet. */
const betless = new Map<string, Refusal>()
const MAX_BETLESS = 20_000

/** Refusals of networks above their limit of cash-outs without a bet. */
const crowded = new Map<string, { tooMany: Refusal; since: number }>()
const CROWDED_MS = 10_000
const MAX_CROWDED = 10_000

type Caller = Pick<SignedCall<unknown>, 'env' | 'request' | 'wallet'>

/**
 * Cashes out a wallet's bet in a round. Keys are free, and all of them ask the round's one object, so an isolate asks
 * it once about a wallet that has no bet: bets are fixed from their close. It asks about few such wallets of a network.
 */
export async function cashOutOf(caller: Caller, roundId: number) {
  const { env, request, wallet } = caller
  const seen = lastSeenRound()
  const isFixed = seen?.plan.roundId === roundId && seen.fixedBets !== null
  const key = isFixed ? `${seen.plan.seedHash} ${wallet}` : null
  const known = key === null ? undefined : betless.get(key)
  if (known) return known
  const crowd = await crowdOf(caller)
  if (crowd) return crowd
  const result = await retried(async () => crashRound(env, roundId).cashOut(wallet))
  if (!isRefusal(result) || result.error.code !== 'no_open_bet') return result
  const tooMany = await limitBetlessCashOuts(env, request)
  if (tooMany) {
    const network = { tooMany, since: Date.now() }
    setBounded(crowded, clientNetwork(request), network, MAX_CROWDED)
  }
  // Only a question that was asked after the close has a final answer. The next one will be, if they have closed by
  // now.
  if (key !== null) setBounded(betless, key, result, MAX_BETLESS)
  else await currentSnapshot(env).catch(() => null)
  return result
}

/**
 * Refuses a wallet whose chips have never moved, for ten seconds after its network exceeded the limit; null otherwise.
 * If the ledger doesn't answer, the round decides.
 */
async function crowdOf({ env, request, wallet }: Caller): Promise<Refusal | null> {
  const crowd = crowded.get(clientNetwork(request))
  if (!crowd || Math.abs(Date.now() - crowd.since) >= CROWDED_MS) return null
  return (await hasMovedChips(env, wallet).catch(() => true)) ? null : crowd.tooMany
}
