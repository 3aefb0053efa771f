import { outageOf, type Outage } from './outages.ts'
import type { Random } from './random.ts'
import type { Theme } from './themes.ts'

/** How much an isolate's clock differs from true time, at most. */
export const MAX_SKEW_MS = 1_500

/** The share of histories with a vault, of those also with a lootbox or boxes, and of each if the theme is about it. */
const WITH_VAULT = 0.3
const WITH_LOOTBOX = 0.4
const WITH_BOXES = 0.3
const WITH_THEME = 0.9
/** The share of histories with the public beacon. */
const WITH_BEACONS = 0.1
/** The share of histories in which players limit themselves. Of these limits, only exclusions concern boxes. */
const WITH_LIMITS = 0.15
const WITH_BOXES_AND_LIMITS = 0.5
/** The share of histories in which operators order something. */
const WITH_OPERATORS = 0.15
/** The share of histories in which isolates take turns, and how long a turn lasts. */
const WITH_TURNS = 0.3
const TURN_MS = [3_000, 40_000] as const
/** The share of histories in which somebody watches the live stream. */
const WITH_VIEWERS = 0.2
const MAX_VIEWERS = 2
/** The share of histories that begin shortly before midnight. */
const NEAR_MIDNIGHT = 0.1
const MAX_ISOLATES = 4
/** The share of histories in which players mostly bet, so that rounds have several bets. */
const MOSTLY_BETS = 0.2

/** What takes part in a history. */
export interface Traits {
  isNearMidnight: boolean
  hasVault: boolean
  hasLootbox: boolean
  hasBoxes: boolean
  /** Whether players limit themselves, and whether partners need their permission. */
  hasLimits: boolean
  needsConsent: boolean
  /** Whether operators order something. */
  hasOperators: boolean
  /** Whether peppers come from the public beacon. */
  hasBeacons: boolean
  /** The number of viewers of the live stream. */
  viewers: number
  /** Whether the isolates' clocks differ. */
  isSkewed: boolean
  /** How much each isolate's clock differs from true time, in milliseconds. */
  skewsMs: number[]
  /**
   * How long most requests reach the same isolate, so that the others know only what was before; null if they don't.
   */
  turnMs: number | null
  /** What does not answer for a while; null in most histories. */
  outage: Outage | null
  /** Whether players mostly bet, and seldom cash out by hand. */
  hasFullRounds: boolean
}

/** Returns whether players mostly bet in a history. */
export function hasFullRounds(random: Random): boolean {
  return random.chance('players mostly bet', MOSTLY_BETS)
}

/**
 * Chooses what takes part in a history.
 * @param isTwin whether all clocks agree, so that a round crashes at one time for everybody
 */
export function traitsOf(random: Random, theme: Theme | null, isTwin: boolean): Traits {
  const has = (what: string, share: number, isOfTheme?: boolean) =>
    random.chance(what, isOfTheme ? WITH_THEME : share)
  const isOfChain = theme?.isOfVault || theme?.isOfLootbox || theme?.isOfBoxes
  const hasVault = has('has a vault', WITH_VAULT, isOfChain)
  const hasBoxes = hasVault && has('has boxes', WITH_BOXES, theme?.isOfBoxes)
  const withLimits = hasBoxes ? WITH_BOXES_AND_LIMITS : WITH_LIMITS
  const hasLimits = has('has limits', withLimits, theme?.isOfLimits)
  const hasViewers = random.chance('has viewers', theme?.isOfViewers ? 1 : WITH_VIEWERS)
  const isSkewed = !isTwin && random.chance('is skewed', theme?.isOfClocks ? 1 : 0.7)
  const isAlone = random.chance('has one isolate', 0.1)
  const isolates = isAlone ? 1 : random.between('isolates', 2, MAX_ISOLATES)
  const skewMs = (number: number) =>
    theme?.isOfClocks
      ? MAX_SKEW_MS * (number % 2 === 0 ? -1 : 1)
      : random.between(`skew of ${number}`, -MAX_SKEW_MS, MAX_SKEW_MS)
  return {
    isNearMidnight: has('is near midnight', NEAR_MIDNIGHT, theme?.isNearMidnight),
    hasVault,
    hasBoxes,
    hasLimits,
    isSkewed,
    hasLootbox: hasVault && has('has a lootbox', WITH_LOOTBOX, theme?.isOfLootbox),
    needsConsent: hasLimits && random.chance('needs consent', 0.5),
    hasOperators: has('has operators', WITH_OPERATORS, theme?.isOfOperators),
    hasBeacons: random.chance('has beacons', WITH_BEACONS),
    viewers: hasViewers ? random.between('viewers', 1, MAX_VIEWERS) : 0,
    skewsMs: Array.from({ length: isolates }, (_, number) => (isSkewed ? skewMs(number) : 0)),
    turnMs: random.chance('isolates take turns', WITH_TURNS)
      ? random.between('turn', ...TURN_MS)
      : null,
    outage: outageOf(random, hasVault),
    hasFullRounds: hasFullRounds(random),
  }
}
