import { afterCommit, retried } from '../../calls/call.ts'
import { crashRound, ledger } from '../../calls/objects.ts'
import { setBounded } from '../../core/bounded-map.ts'
import { isRefusal, type Refusal } from '../../core/refusal.ts'
import type { CashoutAnswer } from '../../crash/bet-request.ts'
import type { Snapshot } from '../../crash/state.ts'
import type { TakenRef, WithEntry } from '../../ledger/journal.ts'
import type { SignedCall } from '../auth/signed.ts'
import { clientNetwork, hasMovedChips, limitNetwork } from '../http/rate-limits.ts'
import { currentSnapshot, isBeforeTakeoff, lastSeenRound } from './snapshot.ts'

type Answer = WithEntry<CashoutAnswer, TakenRef> | Refusal

/** Rounds' answers that no later call changes, by the round's seed hash and the wallet. */
const answered = new Map<string, Answer>()
const MAX_ANSWERED = 20_000

/** Refusals of networks above their limit of cash-outs without a bet. */
const crowded = new Map<string, { tooMany: Refusal; since: number }>()
const CROWDED_MS = 10_000
const MAX_CROWDED = 10_000

type Caller = Pick<SignedCall<unknown>, 'env' | 'request' | 'wallet'>

/**
 * Cashes out a wallet's bet in a round. Keys are free, bets cost cents, and every call asks the round's one object, so
 * an isolate doesn't ask it again for a remembered answer. For each network, it asks about few wallets without a bet.
 */
export async function cashOutOf(caller: Caller, roundId: number): Promise<Answer> {
  const { env, request, wallet } = caller
  const seen = lastSeenRound()
  const key = seen?.plan.roundId === roundId ? `${seen.plan.seedHash} ${wallet}` : null
  const known = key === null ? undefined : answered.get(key)
  const again = known && (await repeated(caller, known))
  if (again) return again
  const crowd = await crowdOf(caller)
  if (crowd) return crowd
  const result = await retried(async () => crashRound(env, roundId).cashOut(wallet))
  if (isRefusal(result) && result.error.code === 'no_open_bet') {
    const tooMany = await limitNetwork(env, request, 'betless')
    if (tooMany) {
      const network = { tooMany, since: Date.now() }
      setBounded(crowded, clientNetwork(request), network, MAX_CROWDED)
    }
  }
  if (key !== null && mayRemember(result, seen)) setBounded(answered, key, result, MAX_ANSWERED)
  // A snapshot, so that the next answer can be remembered. The player who has just cashed out doesn't wait for this.
  else if (isRefusal(result) || !result.fresh) await currentSnapshot(env).catch(() => null)
  return result
}

/**
 * Returns whether no later call changes an answer, or none before take-off. An answer that there is no bet lasts only
 * if it was given after bets closed.
 */
function mayRemember(answer: Answer, seen: Snapshot | null): boolean {
  if (!isRefusal(answer)) return true
  const { code } = answer.error
  if (code === 'no_open_bet') return seen !== null && seen.fixedBets !== null
  return code === 'not_in_flight' || code === 'already_crashed'
}

/** Repeats an answer that its round has given; null if the round must be asked again. */
async function repeated({ env, wallet }: Caller, answer: Answer): Promise<Answer | null> {
  if (isRefusal(answer)) {
    const mayHaveChanged = answer.error.code === 'not_in_flight' && !isBeforeTakeoff()
    return mayHaveChanged ? null : answer
  }
  const { betId, multiplier, payoutWei } = answer
  // As the round itself would: the first payment stays, and the ledger knows the wallet's current chips.
  const outcome = { kind: 'won', multiplier, payoutWei } as const
  const settled = await afterCommit(async () => ledger(env, wallet).settle(betId, outcome))
  if (isRefusal(settled)) return settled
  const entry = { ...settled.entry, terms: answer.entry.terms }
  return { ...answer, fresh: false, me: settled.me, entry }
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
