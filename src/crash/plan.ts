import { beaconPublishedAt, firstBeaconAfter } from '../fairness/drand.ts'
import type { PepperSource } from '../fairness/pepper.ts'
import {
  shownBankroll,
  withinBankroll,
  type Bankroll,
  type ShownBankroll,
} from '../money/bankroll.ts'
import type { PerToken, Token } from '../money/token.ts'
import { flightMs } from './curve.ts'
import type { Hundredths } from '../money/multiplier.ts'
import { withinTable } from './stakes.ts'

/** What a round may take and pay in one token: decimal texts in smallest units. */
export interface TokenLimits {
  /** Smallest and largest stake. */
  min: string
  max: string
  /** The most one bet is paid. */
  maxPayout: string
  /** The most one round pays in this token, all bets together. */
  maxRoundPayout: string
}

/** How rounds are played, from configuration. A round keeps the rules it was opened with. */
export interface CrashRules {
  bettingMs: number
  resultsMs: number
  edgeBps: number
  pepper: PepperSource['kind']
  /** The lowest multiplier at which the published limits may cash anybody out. */
  minForcedMultiplier: Hundredths
  limits: PerToken<TokenLimits>
}

/** Everything public that is fixed before a round's first bet. Times are unix milliseconds. */
export interface RoundPlan {
  roundId: number
  openedAt: number
  betsCloseAt: number
  /** Planned take-off; a late pepper moves it. */
  flightAt: number
  /** Without a pepper by then the round is void. */
  voidAt: number
  resultsMs: number
  edgeBps: number
  seedHash: string
  pepperSource: PepperSource
  minForcedMultiplier: Hundredths
  limits: PerToken<TokenLimits>
  /** What the house had to lose when the limits were set, and the shares of it that they keep to. */
  bankroll?: ShownBankroll
}

/** How long a round waits for its pepper before every bet is refunded. */
export const PEPPER_TIMEOUT_MS = 60_000

/** Between a beacon's publication and take-off: time to fetch and verify it. */
const BEACON_ALLOWANCE_MS = 1_000

/** Between the close of bets and the beacon's publication, at least: no clock is that far behind. */
const BEACON_MARGIN_MS = 1_500

/** Plans a round that opens at `openedAt`; a committed pepper's hash comes from its round. */
export function planRound(opening: {
  roundId: number
  openedAt: number
  rules: CrashRules
  seedHash: string
  pepperHash: string | null
  /** Null where there is no vault. */
  bankroll?: Bankroll | null
}): RoundPlan {
  const { roundId, openedAt, rules, seedHash, pepperHash, bankroll = null } = opening
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

/** The first moment from `bettingEndsAt` on that leaves the margin before the first beacon after it. */
function closeBeforeBeacon(bettingEndsAt: number): number {
  const publishedAt = beaconPublishedAt(firstBeaconAfter(bettingEndsAt))
  return publishedAt - bettingEndsAt >= BEACON_MARGIN_MS ? bettingEndsAt : publishedAt
}

/** A round's flight, known to the round's own object alone until it is over. */
export interface Flight {
  takeoffAt: number
  crash: Hundredths
  /** The first millisecond that is too late to cash out. */
  crashAt: number
  resultsUntil: number
}

/** The flight of a round whose pepper became known at `pepperAt`. */
export function planFlight(plan: RoundPlan, pepperAt: number, crash: Hundredths): Flight {
  const takeoffAt = Math.max(plan.flightAt, pepperAt)
  const crashAt = takeoffAt + flightMs(crash)
  return { takeoffAt, crash, crashAt, resultsUntil: crashAt + plan.resultsMs }
}

/**
 * Where a round stands: bets are taken in `open`; `locked` waits for take-off (the wire calls
 * both `betting`); `over` is when the next round may open; `void` when no pepper came.
 */
export type Stage = 'open' | 'locked' | 'flight' | 'results' | 'over' | 'void'

/** The stage at a moment, from the plan and (once the pepper is known) the flight alone. */
export function stageAt(plan: RoundPlan, flight: Flight | null, now: number): Stage {
  if (now < plan.betsCloseAt) return 'open'
  if (!flight) return now < plan.voidAt ? 'locked' : 'void'
  if (now < flight.takeoffAt) return 'locked'
  if (now < flight.crashAt) return 'flight'
  return now < flight.resultsUntil ? 'results' : 'over'
}

/** The limits of one token as integers. */
export function limitsOf(plan: RoundPlan, token: Token) {
  const limits = plan.limits[token]
  return {
    min: BigInt(limits.min),
    max: BigInt(limits.max),
    maxPayout: BigInt(limits.maxPayout),
    maxRoundPayout: BigInt(limits.maxRoundPayout),
  }
}
