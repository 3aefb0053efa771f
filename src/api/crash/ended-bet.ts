import { retried } from '../../calls/call.ts'
import { crashRound, ledger } from '../../calls/objects.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { discloseBet, type DisclosedBet } from '../../crash/disclosure.ts'
import { ownRead } from './own-reads.ts'
import { lastSeenRound } from './snapshot.ts'

interface BetName {
  wallet: string
  roundId: number
}

/**
 * Discloses an ended bet by its wallet and round, from the objects that decided it. Anybody may ask, and until a round
 * has ended, cash-outs queue behind such questions.
 */
export async function endedBet(env: Env, name: BetName): Promise<DisclosedBet | Refusal> {
  return mayBeRunning(name.roundId)
    ? ownRead(false, () => readBet(env, name, false))
    : readBet(env, name, true)
}

async function readBet(
  env: Env,
  { wallet, roundId }: BetName,
  isOver: boolean,
): Promise<DisclosedBet | Refusal> {
  // Ask the ledger first, so that a round is only touched if the wallet has a bet in it.
  const ended = await retried(async () => ledger(env, wallet).endedBet(roundId, isOver))
  if (ended && isRefusal(ended)) return ended
  const round = ended && (await retried(async () => crashRound(env, roundId).result()))
  return ended && round
    ? discloseBet(wallet, ended, round)
    : refuse(
        'not_found',
        'This wallet has no ended bet in this round. If the round is still running, try again after it.',
      )
}

/** Returns whether a round may still be running, as far as this isolate knows: a read must not wake an idle table. */
function mayBeRunning(roundId: number): boolean {
  const seen = lastSeenRound()
  if (!seen || roundId > seen.plan.roundId) return true
  return roundId === seen.plan.roundId && seen.result === null
}
