import { first52Bits, hmacOf, TWO_POW_52 } from '../fairness/seed.ts'
import { clampMultiplier, type Hundredths } from '../money/multiplier.ts'

/** Returns the message that the round's seed signs: the round and its pepper. */
export function roundMessage({ roundId, pepper }: { roundId: number; pepper: string }): string {
  return `crash:${roundId}:${pepper}`
}

/**
 * Returns a round's crash point: HMAC-SHA256, keyed with the seed, of "crash:roundId:pepper", with its
 * first 52 bits mapped by {@link crashPointFromBits}. The house commits to the seed before betting opens
 * and cannot choose the pepper, so nobody can choose the outcome.
 */
export function crashPointOf(round: {
  roundId: number
  seed: string
  pepper: string
  edgeBps: number
}): Hundredths {
  const digest = hmacOf(round.seed, roundMessage(round))
  return crashPointFromBits(first52Bits(digest), round.edgeBps)
}

/**
 * Maps r in [0, 2^52) to a crash point: max(1, floor((1 - edge) · 100 · 2^52 / (2^52 - r)) / 100),
 * capped at 1,000,000x. Source: bustabit's published game formula, with the edge as a parameter.
 * A target t is reached with probability (1 - edge) / t, so every target returns 1 - edge.
 */
export function crashPointFromBits(r: bigint, edgeBps: number): Hundredths {
  return clampMultiplier((BigInt(10_000 - edgeBps) * TWO_POW_52) / ((TWO_POW_52 - r) * 100n))
}
