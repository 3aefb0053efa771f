import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { discloseBet, type DisclosedBet } from '../../crash/disclosure.ts'
import { crashRound, ledger, retried } from '../../objects.ts'
import { ownRead } from './own-reads.ts'
import { currentSnapshot, lastSeenRound } from './snapshot.ts'

interface BetName {
  wallet: string
  roundId: number
}

/**
 * Discloses an ended bet by its wallet and round, from the objects that decided it. Anybody may ask, and until a round has
 * ended, cash-outs wait behind what it is asked.
 */
export async function endedBet(env: Env, name: BetName): Promise<DisclosedBet | Refusal> {
  const isRunning = await isTablesRound(env, name.roundId)
  return isRunning ? ownRead(false, () => readBet(env, name)) : readBet(env, name)
}

async function readBet(env: Env, { wallet, roundId }: BetName): Promise<DisclosedBet | Refusal> {
  // Ask the ledger first, so that a round is only touched if the wallet has a bet in it.
  const ended = await retried(async () => ledger(env, wallet).endedBet(roundId))
  if (ended && isRefusal(ended)) return ended
  const round = ended && (await retried(async () => crashRound(env, roundId).result()))
  return ended && round
    ? discloseBet(wallet, ended, round)
    : refuse(
        'not_found',
        'This wallet has no ended bet in this round. If the round is still running, try again after it.',
      )
}

/** Returns whether the table's round is this one and had not ended, at most 250 ms ago. */
async function isTablesRound(env: Env, roundId: number): Promise<boolean> {
  const seen = lastSeenRound()
  // For an earlier round, an idle table need not be woken.
  if (seen && roundId < seen.plan.roundId) return false
  const { snapshot } = await currentSnapshot(env)
  return roundId === snapshot.plan.roundId && snapshot.result === null
}
