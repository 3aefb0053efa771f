import { toMultiplier } from './curve.ts'
import type { PepperSource } from '../fairness/pepper.ts'
import type { RoundResult, SettledRound, VoidedRound } from './result.ts'

/** A settled round as disclosed: enough to recompute its crash point. */
export interface DisclosedRound {
  roundId: number
  seedHash: string
  seed: string
  pepper: string
  crash: number
  pepperSource: PepperSource
  edgeBps: number
  signature?: string
}

/** A voided round as disclosed. With a beacon anyone can compute what it would have been. */
export interface DisclosedVoid {
  roundId: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  reason: string
}

/** The body of verify-seeds, newest round first. */
export interface Disclosure {
  ok: true
  rounds: DisclosedRound[]
  voided: DisclosedVoid[]
}

export function discloseRound(round: SettledRound): DisclosedRound {
  const { roundId, seedHash, seed, pepper, pepperSource, edgeBps, signature } = round
  const crash = toMultiplier(round.crash)
  const disclosed = { roundId, seedHash, seed, pepper, crash, pepperSource, edgeBps }
  return signature === null ? disclosed : { ...disclosed, signature }
}

export function discloseVoid(round: VoidedRound): DisclosedVoid {
  const { roundId, seedHash, seed, pepperSource, reason } = round
  return { roundId, seedHash, seed, pepperSource, reason }
}

/** The disclosure of these ended rounds. */
export function disclose(results: RoundResult[]): Disclosure {
  return {
    ok: true,
    rounds: results.filter((result) => result.kind === 'settled').map(discloseRound),
    voided: results.filter((result) => result.kind === 'voided').map(discloseVoid),
  }
}
