import { checkBet } from '../../crash/bet-request.ts'
import { MAX_AUTO_CASHOUT, MIN_AUTO_CASHOUT, targetOf } from '../../crash/bet.ts'
import { toHundredths, type Hundredths } from '../../money/multiplier.ts'
import { FUN, type Unit } from '../../money/token.ts'
import { exactAmount, readAmount } from '../amounts.ts'
import { detailOf, fail, wrong, type Failure, type Problem } from '../api.ts'
import { readMultiplier } from '../components/multiplier-input.tsx'
import { boundsIn, maxPayoutIn } from '../fun/fun.ts'
import { isSignInEnding, type Me, type OpenBet } from '../session.ts'
import { serverNow } from './live.ts'
import type { TableState } from './table.ts'

/** The bet that the player wants to make. */
export interface BetDraft {
  token: Unit
  amountWei: bigint
  autoCashout: Hundredths | null
}

/** Parses an auto cash-out as typed; returns null unless it is valid. */
export function readTarget(text: string): Hundredths | null {
  return readMultiplier(text, MIN_AUTO_CASHOUT, MAX_AUTO_CASHOUT)
}

/** Parses the form, or returns the step to take first. */
export function readDraft(token: Unit, amountText: string, targetText: string): BetDraft | string {
  const amountWei = readAmount(amountText, token)
  const autoCashout = targetText === '' ? null : readTarget(targetText)
  if (amountWei === null) return 'Enter an amount'
  if (targetText !== '' && autoCashout === null) return 'Correct the auto cash-out'
  return { token, amountWei, autoCashout }
}

/** Returns the multiplier at which a bet is cashed out automatically; null if it is not. */
export function automaticTarget(openBet: OpenBet, { config }: TableState): Hundredths | null {
  const { token, autoCashout } = openBet
  const target = autoCashout === null ? null : toHundredths(autoCashout)
  const params = { amountWei: BigInt(openBet.amountWei), autoCashout: target }
  return targetOf(params, maxPayoutIn(config.maxPayout, token))
}

/** Checks a bet as its ledger will, so that a bet it would refuse is not sent, and that its player can cash it out. */
export function refusalOf(
  draft: BetDraft,
  { roundId, config }: TableState,
  me: Me | null,
): Failure | null {
  if (draft.token !== FUN && isSignInEnding(serverNow()))
    return fail('wallet', 'Your sign-in is about to expire. To bet, sign out and sign in again.')
  const { min, max } = boundsIn(config.bounds, draft.token)
  const bounds = { min: BigInt(min), max: BigInt(max) }
  const stage = { open: true, isWaiting: false, now: { roundId } }
  const request = { roundId, params: draft, ...stage, ...bounds }
  return checkBet(request, BigInt(me?.chips[draft.token] ?? draft.amountWei))
}

/** Returns a round's refusal of a bet as the player should read it: other bets have taken the room in the round. */
export function inRound(problem: Problem, { token }: BetDraft, { config }: TableState): Problem {
  if (problem.code !== 'payout_limit') return problem
  const largestWei = BigInt(detailOf(problem, 'maxAmountWei') ?? 0)
  if (largestWei < BigInt(boundsIn(config.bounds, token).min))
    return wrong('This round is full. Wait for the next round.')
  const largest = `${exactAmount(largestWei, token)} ${token}`
  return wrong(`This round is nearly full. Bet at most ${largest}, or wait for the next round.`)
}
