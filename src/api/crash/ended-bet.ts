import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { discloseBet, type DisclosedBet } from '../../crash/disclosure.ts'
import { crashRound, ledger, retried } from '../../objects.ts'

/** Discloses an ended bet by its wallet and round, from the objects that decided it. */
export async function endedBet(
  env: Env,
  { wallet, roundId }: { wallet: string; roundId: number },
): Promise<DisclosedBet | Refusal> {
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
