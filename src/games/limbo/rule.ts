import { TWO_POW_52 } from '../../fairness/seed.ts'
import {
  clampMultiplier,
  MAX_MULTIPLIER,
  toMultiplier,
  type Hundredths,
} from '../../money/multiplier.ts'
import { ofHundredths, ZERO } from '../../money/rational.ts'
import type { MetaField, ParamField, Values } from '../fields.ts'
import type { Outcome, PayTerms } from '../game.ts'
import type { RandomStream } from '../stream.ts'

export const MIN_TARGET: Hundredths = 101

export const PARAMS = {
  target: {
    kind: 'hundredths',
    min: MIN_TARGET,
    max: MAX_MULTIPLIER,
    description: 'The multiplier to reach, with at most two decimals.',
  },
} as const satisfies Record<string, ParamField>

export type LimboParams = Values<typeof PARAMS>

export const META = {
  result: { kind: 'decimal', min: 1, description: 'The drawn multiplier.' },
  target: { kind: 'decimal', description: 'The target multiplier.' },
} as const satisfies Record<string, MetaField>

export type LimboMeta = Values<typeof META>

/** Wins the target if the result reaches it. */
export function playLimbo(
  { target }: LimboParams,
  stream: RandomStream,
  { edgeBps }: Pick<PayTerms, 'edgeBps'>,
): Outcome<LimboMeta> {
  const result = limboResult(stream.first52Bits(), edgeBps)
  return {
    multiplier: result >= target ? ofHundredths(target) : ZERO,
    meta: { result: toMultiplier(result), target: toMultiplier(target) },
  }
}

/**
 * Maps r in [0, 2^52) to a result: max(1, floor((1 − edge) · 100 · 2^52 / (r + 1)) / 100), capped at
 * 1,000,000. A target t is reached with probability (1 − edge) / t.
 */
export function limboResult(r: bigint, edgeBps: number): Hundredths {
  return clampMultiplier((BigInt(10_000 - edgeBps) * TWO_POW_52) / ((r + 1n) * 100n))
}
