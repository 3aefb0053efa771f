import { canonicalJson } from '../core/canonical-json.ts'
import { isoTime } from '../core/utc-day.ts'
import { outcomeOf, type Bet } from '../crash/bet.ts'
import { betLeaf, betsRootOf } from '../crash/bets-root.ts'
import { endOf, type EndedLeaf, type WholeRound } from '../crash/disclosure.ts'
import { checkStake, PEPPER_TIMEOUT_MS, shownLimits, type RoundPlan } from '../crash/plan.ts'
import { Round, type RoundRecord } from '../crash/round.ts'
import { checkSeen, sameFields, type Check } from '../fairness/check.ts'
import { sourceText } from '../fairness/pepper.ts'
import { macOf } from '../fairness/seed.ts'
import { toMultiplier } from '../money/multiplier.ts'
import { perToken } from '../money/token.ts'
import { checkSent, isOf, verifyRound, verifyVoid, type SeenRound } from './round.ts'

/** Checks all of a round: its crash point or its voiding, and its bets. @param round with all of its bets */
export function verifyWhole(round: WholeRound, seen: SeenRound = {}): Check[] {
  return [...verifyEnd(round, seen), ...verifyBets(round, seen)]
}

/** Checks a round's crash point or its voiding, without its bets. */
export function verifyEnd(round: WholeRound, seen: SeenRound = {}): Check[] {
  const end = endOf(round)
  return 'crash' in end ? verifyRound(end, seen) : verifyVoid(end, seen)
}

/**
 * Checks the bets of a whole round: the root that was public before the outcome could be known, and each
 * payout, including the cash-outs that the limits forced.
 * @param round with all of its bets
 */
export function verifyBets(round: WholeRound, seen: SeenRound = {}): Check[] {
  const { bets, betsRoot, betCount, seed } = round
  const mac = macOf(seed)
  const leaves = bets.map((bet, n) => betLeaf(asPlaced(bet), n, mac))
  const isAsPlaced = leaves.every((leaf, n) => leaf.n === bets[n]?.n && leaf.salt === bets[n]?.salt)
  return [
    { claim: 'its plan is the one of its disclosure', holds: isOwnPlan(round) },
    ...(round.plan ? [checkDeadline(round.plan)] : []),
    ...(round.plan && round.takeoffAt !== null ? [checkTakeoff(round.takeoffAt, round.plan)] : []),
    {
      claim: `its ${betCount === 1 ? 'bet is the one' : `${betCount} bets are the ones`} fixed at the close, with the root ${betsRoot}`,
      holds: bets.length === betCount && isAsPlaced && betsRootOf(bets) === betsRoot,
    },
    ...checkSeen('its root of bets is the one you saw after bets closed', betsRoot, seen.betsRoot),
    ...checkSeen(
      'its number of bets is the one you saw after bets closed',
      betCount,
      seen.betCount,
    ),
    ...(round.plan
      ? checkSeen(
          'its limits are those you saw before you bet',
          canonicalJson(shownLimits(round.plan)),
          seen.shownLimits && canonicalJson(seen.shownLimits),
        )
      : []),
    ...checkSent(bets, seen.bet),
    ...(betCount > 0 ? [verifyOutcomes(round)] : []),
  ]
}

/** Returns whether a round says the same in its plan and beside it. Only a round without bets may have no plan. */
function isOwnPlan({ plan, ...round }: WholeRound): boolean {
  if (plan === null) return round.betCount === 0
  return (
    sameFields(plan, round, ['roundId', 'seedHash', 'openedAt', 'betsCloseAt', 'edgeBps']) &&
    sourceText(plan.pepperSource) === sourceText(round.pepperSource)
  )
}

/**
 * Checks that a round was planned to wait for its pepper as long as every other one. During a longer wait, the house,
 * which knows the crash point, could hold high flights back until players have left.
 */
export function checkDeadline({
  betsCloseAt,
  flightAt,
  voidAt,
}: Pick<RoundPlan, 'betsCloseAt' | 'flightAt' | 'voidAt'>): Check {
  return {
    claim: `its deadline for the pepper, at ${isoTime(voidAt)}, was planned ${PEPPER_TIMEOUT_MS / 1_000} seconds after its close, and its take-off in between`,
    holds:
      voidAt === betsCloseAt + PEPPER_TIMEOUT_MS && betsCloseAt <= flightAt && flightAt < voidAt,
  }
}

/** Checks that a round had its pepper before its deadline. Later than that, it had to refund every bet. */
export function checkTakeoff(
  takeoffAt: number,
  { flightAt, voidAt }: Pick<RoundPlan, 'flightAt' | 'voidAt'>,
): Check {
  return {
    claim: `it took off, at ${isoTime(takeoffAt)}, no earlier than planned and before its deadline for the pepper at ${isoTime(voidAt)}`,
    holds: takeoffAt >= flightAt && takeoffAt < voidAt,
  }
}

function verifyOutcomes(round: WholeRound): Check {
  const problem = round.plan ? problemOf(round, round.plan) : 'its plan is missing'
  const claim = 'each bet ended as the plan, the crash point and the players’ cash-outs say'
  return problem === null ? { claim, holds: true } : { claim: `${claim}: ${problem}`, holds: false }
}

/** Returns why the bets can't have ended as they are disclosed, as text; null if they can. */
function problemOf(round: WholeRound, plan: RoundRecord['plan']): string | null {
  // A replay finds bets by their ids: another one with a player's id would stand in for that player's.
  if (!areDistinct(round.bets.map(({ betId }) => betId))) return 'two bets have the same id'
  if (!areDistinct(round.bets.map(({ wallet }) => wallet.toLowerCase())))
    return 'two bets have the same wallet'
  const refused = refusedIn(round, plan)
  if (refused) return `the plan does not allow the stake of bet ${refused.n}`
  const { replayed } = replay(round, plan)
  const wrong = round.bets.find((bet) => !isSame(bet, replayed))
  return wrong ? `bet ${wrong.n} did not` : null
}

/** Returns the first bet whose stake the round had to refuse. Larger ones lower the multipliers of forced cash-outs. */
function refusedIn({ bets }: WholeRound, plan: RoundRecord['plan']): EndedLeaf | undefined {
  const stakedWei = perToken(() => 0n)
  return bets.find((bet) => {
    const { token, amountWei } = asPlaced(bet)
    const refusal = checkStake(plan, { token, amountWei }, stakedWei[token])
    stakedWei[token] += amountWei
    return refusal !== null
  })
}

/**
 * Returns the multiplier at which a wallet cashed its bet out itself, by the disclosure: neither its
 * auto-cash-out nor a limit did. Null if something else ended the bet. Only the player can say whether it is true.
 */
export function ownCashoutOf(wallet: string, round: WholeRound): number | null {
  const bet = betOf(wallet, round)
  if (!bet || !round.plan || bet.cashedOutAt === null) return null
  return replay(round, round.plan).byHand.has(bet.wallet) ? bet.multiplier : null
}

/** Returns the bet of a wallet, in any letter case. */
export function betOf(wallet: string, { bets }: WholeRound): EndedLeaf | undefined {
  return bets.find((bet) => isOf(bet, wallet))
}

/** Plays a round again. `byHand` has the wallets whose cash-out only their own call explains. */
function replay(
  round: WholeRound,
  plan: RoundRecord['plan'],
): { replayed: Round; byHand: Set<string> } {
  const { bets, pepper, takeoffAt, endedAt, signature } = round
  const record = { plan, setTerms: {}, seed: round.seed, pepper, signature, pepperAt: takeoffAt }
  const replayed = new Round(
    { ...record, status: 'live', isClosed: true, endedAt: null },
    bets.map(asPlaced),
  )
  const won = bets.filter(({ cashedOutAt }) => cashedOutAt !== null)
  const byHand = new Set<string>()
  for (const { wallet, cashedOutAt } of won.toSorted(byTime)) {
    replayed.advance(cashedOutAt ?? 0)
    // Changes nothing if an auto-cash-out or a limit has cashed the bet out.
    const decided = replayed.cashOut(wallet, cashedOutAt ?? 0)
    if ('fresh' in decided && decided.fresh) byHand.add(wallet)
  }
  replayed.advance(Math.max(endedAt, plan.openedAt))
  return { replayed, byHand }
}

function areDistinct(values: string[]): boolean {
  return new Set(values).size === values.length
}

function isSame({ betId, outcome, multiplier, payout, amountWei }: EndedLeaf, round: Round) {
  const bet = round.bet(betId)
  const { status } = round.record
  const ended = bet ? outcomeOf(bet, status) : null
  if (ended?.kind !== outcome) return false
  if (ended.kind === 'won')
    return toMultiplier(ended.multiplier) === multiplier && ended.payoutWei === payout
  return ended.kind === 'voided'
    ? multiplier === 1 && payout === amountWei
    : multiplier === 0 && payout === '0'
}

function asPlaced(bet: EndedLeaf): Bet {
  const { betId, wallet, token, placedAt } = bet
  const autoCashout = bet.autoCashout === null ? null : Math.round(bet.autoCashout * 100)
  const placed = { betId, wallet, token, amountWei: BigInt(bet.amountWei), autoCashout, placedAt }
  return { ...placed, cashout: null, cashedOutAt: null }
}

function byTime(a: EndedLeaf, b: EndedLeaf): number {
  return (a.cashedOutAt ?? 0) - (b.cashedOutAt ?? 0)
}
