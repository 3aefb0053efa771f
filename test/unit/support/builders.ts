import * as fc from 'fast-check'
import { isRefusal, type ErrorCode } from '../../../src/core/refusal.ts'
import type { Bet } from '../../../src/crash/bet.ts'
import { crashPointOf } from '../../../src/crash/crash-point.ts'
import type { DisclosedRound } from '../../../src/crash/disclosure.ts'
import { planRound, type CrashRules, type RoundPlan } from '../../../src/crash/plan.ts'
import { Round, type Placement, type RoundRecord } from '../../../src/crash/round.ts'
import type { TokenLimits } from '../../../src/crash/stakes.ts'
import { beaconPublishedAt } from '../../../src/fairness/drand.ts'
import { commitmentOf, first52Bits, hmacOf } from '../../../src/fairness/seed.ts'
import { ACCOUNTS, type Account, type Posting } from '../../../src/ledger/accounts.ts'
import { toMultiplier, type Hundredths } from '../../../src/money/multiplier.ts'
import { TOKENS } from '../../../src/money/token.ts'
import type { KnownModes } from '../../../src/operator/modes.ts'
import { BEACON_1000 } from './vectors.ts'

/** Two seconds after a beacon is published; bets close two seconds before a later one. */
export const OPENED_AT = 1_695_803_369_000
export const BETS_CLOSE_AT = OPENED_AT + 8_000
/** When a round with a committed pepper takes off: it has no beacon to wait for. */
export const TAKEOFF_AT = BETS_CLOSE_AT
export const VOID_AT = BETS_CLOSE_AT + 60_000

export const ROUND_ID = 7
export const SEED = 'a1'.repeat(32)
export const PEPPER = 'b2'.repeat(32)
export const SIGNATURE = 'c3'.repeat(48)

/** The terms of play, as shown to players. */
export const TERMS = { hash: '7e'.repeat(32), autoplay: true, funChips: true, minPlayMs: 0 }

/** Every switch is open. */
export const ALL_OPEN: KnownModes = { changes: [], holdsUntil: Infinity }

/** Small enough to work out limits and rounding by hand. */
export const LIMITS: TokenLimits = {
  min: '1',
  max: '1000',
  maxPayout: '100000',
  maxRoundPayout: '1000000',
}

export function rules(overrides: Partial<CrashRules> = {}): CrashRules {
  const limits = { ETH: LIMITS, USDG: LIMITS }
  return {
    bettingMs: 8_000,
    resultsMs: 4_000,
    edgeBps: 100,
    pepper: 'committed',
    minForcedMultiplier: 101,
    limits,
    ...overrides,
  }
}

export function planOf(
  pepper: CrashRules['pepper'],
  limits: Partial<TokenLimits> = {},
  openedAt = OPENED_AT,
): RoundPlan {
  const own = { ...LIMITS, ...limits }
  return planRound({
    roundId: ROUND_ID,
    openedAt,
    rules: rules({ pepper, limits: { ETH: own, USDG: own } }),
    terms: TERMS.hash,
    seedHash: commitmentOf(SEED),
    pepperHash: pepper === 'committed' ? commitmentOf(PEPPER) : null,
  })
}

/**
 * Returns the edge with which SEED and PEPPER give this crash point, without searching for
 * a seed. It may be negative, which no configuration allows but every rule accepts.
 */
function edgeBpsFor(crash: Hundredths): number {
  const left = 2n ** 52n - first52Bits(hmacOf(SEED, `crash:${ROUND_ID}:${PEPPER}`))
  return 10_000 - Number((BigInt(crash) * 100n * left + 2n ** 52n - 1n) / 2n ** 52n)
}

/** A new round with this crash point; a round with a beacon still needs PEPPER. */
export function recordOf(
  pepper: CrashRules['pepper'],
  crash: Hundredths,
  limits: Partial<TokenLimits> = {},
): RoundRecord {
  const isCommitted = pepper === 'committed'
  return {
    plan: { ...planOf(pepper, limits), edgeBps: edgeBpsFor(crash) },
    setTerms: {},
    seed: SEED,
    pepper: isCommitted ? PEPPER : null,
    pepperAt: isCommitted ? OPENED_AT : null,
    signature: null,
    status: 'live',
    isClosed: false,
    endedAt: null,
  }
}

/** A bet by Alice, not yet placed in a round. */
export function placement(overrides: Partial<Placement> = {}): Placement {
  const wallet = overrides.wallet ?? 'alice'
  return {
    betId: `bet of ${wallet}`,
    wallet,
    token: 'ETH',
    amountWei: 100n,
    autoCashout: null,
    ...overrides,
  }
}

export function betOf(overrides: Partial<Bet> = {}): Bet {
  return {
    ...placement(overrides),
    placedAt: OPENED_AT,
    cashout: null,
    cashedOutAt: null,
    ...overrides,
  }
}

/** A round with a committed pepper and this crash point, with these bets placed at its opening. */
export function roundOf(
  crash: Hundredths,
  bets: Partial<Placement>[] = [],
  limits: Partial<TokenLimits> = {},
): Round {
  const round = new Round(recordOf('committed', crash, limits), [])
  for (const bet of bets) round.place(placement(bet), OPENED_AT)
  return round
}

/** A disclosed round whose pepper was committed to by the house. */
export function disclosedCommitted(): DisclosedRound {
  const round = { roundId: ROUND_ID, seed: SEED, pepper: PEPPER, edgeBps: 100 }
  return {
    ...round,
    seedHash: commitmentOf(SEED),
    crash: toMultiplier(crashPointOf(round)),
    pepperSource: { kind: 'committed', pepperHash: commitmentOf(PEPPER) },
    openedAt: OPENED_AT,
    betsCloseAt: BETS_CLOSE_AT,
  }
}

/** A disclosed round whose pepper is a published beacon. */
export function disclosedBeacon(): DisclosedRound {
  const { round: beacon, signature, randomness: pepper } = BEACON_1000
  const round = { roundId: ROUND_ID, seed: SEED, pepper, edgeBps: 100 }
  const betsCloseAt = beaconPublishedAt(beacon) - 2_000
  return {
    ...round,
    seedHash: commitmentOf(SEED),
    crash: toMultiplier(crashPointOf(round)),
    pepperSource: { kind: 'drand-quicknet', round: beacon },
    openedAt: betsCloseAt - 8_000,
    betsCloseAt,
    signature,
  }
}

/** Returns the reason for a refusal, or null if there was none. */
export function codeOf(answer: object): ErrorCode | null {
  return isRefusal(answer) ? answer.error.code : null
}

/** Any 32 bytes, in hex. */
export const anySecret = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'))

export function posting(from: Account, to: Account, amountWei: bigint): Posting {
  return { token: 'ETH', from, to, amountWei: amountWei.toString() }
}

const anyAccount = fc.constantFrom(...ACCOUNTS)

/** Movements that are each valid alone; together they may overdraw an account. */
export const anyPostings: fc.Arbitrary<Posting[]> = fc.array(
  fc
    .record({
      token: fc.constantFrom(...TOKENS),
      from: anyAccount,
      to: anyAccount,
      amountWei: fc.bigInt({ min: 1n, max: 10n ** 20n }).map(String),
    })
    .filter(({ from, to }) => from !== to),
  { maxLength: 8 },
)
