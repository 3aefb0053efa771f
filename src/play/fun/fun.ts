import { FUN, type PerToken, type Unit } from '../../money/token.ts'
import type { TermsSummary } from '../../transparency/terms.ts'
import { readKept, writeKept } from '../storage.ts'

/** Names who plays with fun chips. It is no address, so no service takes it for one. */
export const FUN_WALLET = 'fun'

/** Fun chips are granted in this amount: 1,000. */
export const GRANT_WEI = 1_000_000_000n

/** In smallest units: a stake of 0.01 to 1,000 chips, and a million times the largest stake. */
export const FUN_LIMITS = { min: 10_000n, max: GRANT_WEI, maxPayout: 1_000_000n * GRANT_WEI }

const BOUNDS = { min: FUN_LIMITS.min.toString(), max: FUN_LIMITS.max.toString() }

/** Returns the bounds of a stake: the service's for a token, the browser's own for fun chips. */
export function boundsIn<B extends { min: string; max: string }>(
  bounds: PerToken<B>,
  unit: Unit,
): { min: string; max: string } {
  return unit === FUN ? BOUNDS : bounds[unit]
}

/** Returns the largest payout. @see boundsIn */
export function maxPayoutIn(maxPayout: PerToken<string>, unit: Unit): bigint {
  return unit === FUN ? FUN_LIMITS.maxPayout : BigInt(maxPayout[unit])
}

const KEY = 'fairhouse.playsForFun'

/** Whether this browser's player has chosen fun chips, and no wallet since. */
export function playsForFun(): boolean {
  return readKept<boolean>(KEY) === true && !isExcludedHere()
}

export function keepPlaysForFun(isChosen: boolean): void {
  writeKept(KEY, isChosen || null)
}

const EXCLUSION_KEY = 'fairhouse.exclusion'

/** Keeps whether the wallet that was last signed in has excluded itself. @param until null without a fixed end */
export function keepExclusion(isExcluded: boolean, until: number | null): void {
  writeKept(EXCLUSION_KEY, isExcluded ? { until } : null)
}

/** Whether fun chips are offered: by the terms, once they are known, and unless the player is excluded. */
export function offersFun(terms: Pick<TermsSummary, 'funChips'> | undefined): boolean {
  return terms?.funChips === true && !isExcludedHere()
}

/** Whether the player of a wallet that signed in here has excluded themselves. */
function isExcludedHere(): boolean {
  const kept = readKept<{ until: number | null }>(EXCLUSION_KEY)
  return kept !== null && (kept.until === null || kept.until > Date.now())
}
