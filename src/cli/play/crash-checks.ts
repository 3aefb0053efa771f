import type { DisclosedRound, Disclosure, WholeRound } from '../../crash/disclosure.ts'
import type { Check } from '../../fairness/check.ts'
import { payoutOf, showHundredths } from '../../money/multiplier.ts'
import { verifyRound, verifyVoid } from '../../verify/round.ts'
import { ownCashoutOf, verifyBets } from '../../verify/whole-round.ts'
import { showAmount } from '../shared/amounts.ts'
import type { Game } from './crash-game.ts'

/** Checks a game against the facts seen before it, its disclosure, and the chips. */
export function checkGame(game: Game, disclosure: Disclosure, chipsAfter: bigint): Check[] {
  const { receipts } = game
  return [...checkFairness(game, disclosure), ...checkMoney(game, chipsAfter), ...receipts]
}

/** Whether a bet was cashed out before its target, which the player never asks for. */
export function isForced({ result, target }: Game): boolean {
  return result.kind === 'won' && result.multiplier < target
}

/** Checks that a limit required a cash-out that the player did not ask for. @param round with all of its bets */
export function checkForced(wallet: string, { seen }: Game, round: WholeRound): Check[] {
  return [
    ...verifyBets(round, seen),
    {
      claim: 'a limit of the round cashed you out before your target, not the house',
      holds: round.roundId === seen.roundId && ownCashoutOf(wallet, round) === null,
    },
  ]
}

/** Returns the chips that a game should leave, in smallest units. */
export function expectedChips({ chipsBefore, amountWei, result }: Game): bigint {
  if (result.kind === 'voided') return chipsBefore
  return chipsBefore - amountWei + (result.kind === 'won' ? result.payoutWei : 0n)
}

function checkFairness(game: Game, { rounds, voided }: Disclosure): Check[] {
  const { seen, result } = game
  const wanted = ({ roundId }: { roundId: number }) => roundId === seen.roundId
  const round = rounds.find(wanted)
  if (round && result.kind !== 'voided') {
    return [...verifyRound(round, seen), ...checkPromises(game, round)]
  }
  const refunded = voided.find(wanted)
  if (refunded && result.kind === 'voided') {
    return verifyVoid(refunded, seen)
  }
  return [{ claim: `the disclosure of round ${seen.roundId} matches its end`, holds: false }]
}

/** Checks that the round ended as it was shown. */
function checkPromises(game: Game, round: DisclosedRound): Check[] {
  const { crashShown, result } = game
  const checks: Check[] = []
  if (crashShown !== null) {
    checks.push({
      claim: 'the table showed the same crash point',
      holds: crashShown === round.crash,
    })
  }
  if (result.kind === 'won') {
    checks.push({
      claim: `you cashed out no later than the crash, at ${showHundredths(result.multiplier)}`,
      holds: result.multiplier / 100 <= round.crash,
    })
  }
  return checks
}

function checkMoney(game: Game, chipsAfter: bigint): Check[] {
  const { token, amountWei, chipsBefore, chipsAfterBet, result } = game
  const stake = showAmount(amountWei, token)
  const checks: Check[] = []
  if (chipsAfterBet !== null) {
    checks.push({
      claim: `your bet took ${stake}`,
      holds: chipsBefore - chipsAfterBet === amountWei,
    })
  }
  if (result.kind === 'won') {
    const { multiplier, payoutWei } = result
    checks.push({
      claim: `${stake} at ${showHundredths(multiplier)} pays ${showAmount(payoutWei, token)}`,
      holds: payoutOf(amountWei, multiplier) === payoutWei,
    })
  }
  const balance = `${showAmount(chipsBefore, token)} before, ${showAmount(chipsAfter, token)} after`
  return [
    ...checks,
    { claim: `your chips add up: ${balance}`, holds: chipsAfter === expectedChips(game) },
  ]
}
