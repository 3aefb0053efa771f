import { refuse, type Refusal } from '../core/refusal.ts'
import { BEACON_ALLOWANCE_MS, beaconPublishedAt, firstBeaconAfter } from '../fairness/drand.ts'
import type { PepperSource } from '../fairness/pepper.ts'
import { checkBounds } from '../ledger/refusals.ts'
import {
  shownBankroll,
  withinBankroll,
  type Bankroll,
  type ShownBankroll,
} from '../money/bankroll.ts'
import { toMultiplier, type Hundredths } from '../money/multiplier.ts'
import { perToken, type PerToken, type Token } from '../money/token.ts'
import type { BetParams } from './bet.ts'
import { flightMs } from './curve.ts'
import { largestStake, withinTable, type TokenLimits } from './stakes.ts'

/** The configured rules of rounds. A round keeps the rules it was opened with. */
export interface CrashRules {
  bettingMs: number
  resultsMs: number
  edgeBps: number
  pepper: PepperSource['kind']
  /** The lowest multiplier at which the published limits may force a cash-out. */
  minForcedMultiplier: Hundredths
  limits: PerToken<TokenLimits>
}

/** The public facts fixed before a round's first bet. Times are in unix milliseconds. */
export interface RoundPlan {
  roundId: number
  openedAt: number
  betsCloseAt: number
  /** The planned take-off; a late pepper delays it. */
  flightAt: number
  /** The deadline for the pepper; without one the round is voided. */
  voidAt: number
  resultsMs: number
  edgeBps: number
  /** The hash of the terms of play that it follows. */
  terms: string
  seedHash: string
  pepperSource: PepperSource
  minForcedMultiplier: Hundredths
  limits: PerToken<TokenLimits>
  /** The bankroll when the limits were set, and its shares that they allow. */
  bankroll?: ShownBankroll
}

/** How long a round waits for its pepper before it refunds every bet. */
export const PEPPER_TIMEOUT_MS = 60_000

/** The minimum time between the close of bets and the beacon's publication, beyond any clock's error. */
export const BEACON_MARGIN_MS = 1_500

export function planRound(opening: {
  roundId: number
  openedAt: number
  rules: CrashRules
  terms: string
  seedHash: string
  /** The committed pepper's hash; null for a pepper from a beacon. */
  pepperHash: string | null
  /** Null without a vault. */
  bankroll?: Bankroll | null
}): RoundPlan {
  const { roundId, openedAt, rules, terms, seedHash, pepperHash, bankroll = null } = opening
  const bettingEndsAt = openedAt + rules.bettingMs
  const betsCloseAt = pepperHash === null ? closeBeforeBeacon(bettingEndsAt) : bettingEndsAt
  const beacon = firstBeaconAfter(betsCloseAt)
  return {
    roundId,
    openedAt,
    betsCloseAt,
    flightAt: pepperHash === null ? beaconPublishedAt(beacon) + BEACON_ALLOWANCE_MS : betsCloseAt,
    voidAt: betsCloseAt + PEPPER_TIMEOUT_MS,
    resultsMs: rules.resultsMs,
    edgeBps: rules.edgeBps,
    terms,
    seedHash,
    pepperSource:
      pepperHash === null
        ? { kind: 'drand-quicknet', round: beacon }
        : { kind: 'committed', pepperHash },
    minForcedMultiplier: rules.minForcedMultiplier,
    limits: withinTable(withinBankroll(rules.limits, bankroll), rules.minForcedMultiplier),
    ...(bankroll && { bankroll: shownBankroll(bankroll) }),
  }
}

/** Returns the earliest close of bets, from `bettingEndsAt` on, that leaves the margin before its beacon. */
function closeBeforeBeacon(bettingEndsAt: number): number {
  const publishedAt = beaconPublishedAt(firstBeaconAfter(bettingEndsAt))
  return publishedAt - bettingEndsAt >= BEACON_MARGIN_MS ? bettingEndsAt : publishedAt
}

/** A round's flight, which only the round's own object knows until it ends. */
export interface Flight {
  takeoffAt: number
  crash: Hundredths
  /** The first millisecond too late for a cash-out. */
  crashAt: number
  resultsUntil: number
}

/** Plans the flight of a round with a pepper known since `pepperAt`. */
export function planFlight(plan: RoundPlan, pepperAt: number, crash: Hundredths): Flight {
  const takeoffAt = Math.max(plan.flightAt, pepperAt)
  const crashAt = takeoffAt + flightMs(crash)
  return { takeoffAt, crash, crashAt, resultsUntil: crashAt + plan.resultsMs }
}

/**
 * A round's stage: `open` accepts bets and `locked` waits for take-off (both are `betting` on the wire);
 * in `over` the next round may open; `void` means that no pepper arrived in time.
 */
export type Stage = 'open' | 'locked' | 'flight' | 'results' | 'over' | 'void'

/** The stage as shown: a round is `waiting` instead of `open` until the public log has its plan. */
export type ShownStage = Stage | 'waiting'

/** Returns the stage at a time, which depends only on the plan and, once the pepper is known, the flight. */
export function stageAt(plan: RoundPlan, flight: Flight | null, now: number): Stage {
  if (now < plan.betsCloseAt) return 'open'
  if (!flight) return now < plan.voidAt ? 'locked' : 'void'
  if (now < flight.takeoffAt) return 'locked'
  if (now < flight.crashAt) return 'flight'
  return now < flight.resultsUntil ? 'results' : 'over'
}

/** Returns the limits in one token as integers. */
export function limitsOf(plan: RoundPlan, token: Token) {
  const limits = plan.limits[token]
  return {
    min: BigInt(limits.min),
    max: BigInt(limits.max),
    maxPayout: BigInt(limits.maxPayout),
    maxRoundPayout: BigInt(limits.maxRoundPayout),
  }
}

/** Returns a plan's limits as the table shows them. */
export function shownLimits({ limits, minForcedMultiplier, bankroll }: RoundPlan) {
  return {
    bounds: perToken((token) => ({ min: limits[token].min, max: limits[token].max })),
    maxPayout: perToken((token) => limits[token].maxPayout),
    maxRoundPayout: perToken((token) => limits[token].maxRoundPayout),
    minForcedMultiplier: toMultiplier(minForcedMultiplier),
    bankroll: bankroll ?? null,
  }
}

/** The limits of a round as the table shows them. */
export type ShownLimits = ReturnType<typeof shownLimits>

/**
 * Checks a stake against its plan: the bounds, and the room that earlier stakes leave. No bet leaves a round before its
 * end, so anyone who knows the bets and their order can check the same.
 * @param stakedWei the stakes placed before it in its token, in smallest units
 */
export function checkStake(
  plan: RoundPlan,
  { token, amountWei }: Pick<BetParams, 'token' | 'amountWei'>,
  stakedWei: bigint,
): Refusal | null {
  const { maxRoundPayout, ...bounds } = limitsOf(plan, token)
  const { minForcedMultiplier } = plan
  const largest = largestStake({ maxRoundPayout, stakedWei, minForcedMultiplier })
  if (amountWei <= largest) return checkBounds(amountWei, bounds)
  return refuse(
    'payout_limit',
    `The ${token} stakes in this round are near its limit. Bet at most maxAmountWei, or wait for the next round.`,
    { maxPayout: maxRoundPayout.toString(), maxAmountWei: largest.toString() },
  )
}
