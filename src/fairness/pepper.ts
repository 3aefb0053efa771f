import type { Check } from './check.ts'
import {
  beaconPublishedAt,
  beaconRandomness,
  firstBeaconAfter,
  isBeaconSignature,
} from './drand.ts'
import { isoTime } from '../core/utc-day.ts'
import { commits } from './seed.ts'

/** Where a pepper comes from, fixed before anybody can know it. */
export type PepperSource =
  | { kind: 'drand-quicknet'; round: number }
  | { kind: 'committed'; pepperHash: string }

/** A pepper that has been told, and what proves that it is the one that was announced. */
export interface ToldPepper {
  pepper: string
  pepperSource: PepperSource
  /** The beacon's, where it comes from one. */
  signature?: string
}

/** Checks that a pepper comes from where it was announced to come from. */
export function verifyPepper({ pepper, pepperSource, signature = '' }: ToldPepper): Check {
  if (pepperSource.kind === 'committed') {
    const { pepperHash } = pepperSource
    return {
      claim: `the pepper belongs to its hash ${pepperHash}`,
      holds: commits(pepperHash, pepper),
    }
  }
  return {
    claim: `the pepper is the randomness of drand quicknet round ${pepperSource.round}, signed by it`,
    holds:
      isBeaconSignature(pepperSource.round, signature) && beaconRandomness(signature) === pepper,
  }
}

/** When a pepper was fixed, and when a player saw what it was to be mixed with. In unix milliseconds. */
export interface PepperTimes {
  pepperSource: PepperSource
  /** The pepper has to be the first beacon published strictly after this. */
  fixedAt: number
  /** What happened then, for the claim: "bets closed". */
  event: string
  /** By the player's own clock; absent where nobody watched. */
  seenAt?: number | undefined
}

/**
 * Checks that a beacon could not be known when the seed was fixed. A committed pepper has no time of
 * its own, so nothing is checked. The service tells `fixedAt`: without `seenAt` the check shows only
 * that source and time agree.
 */
export function verifyPepperTimes({ pepperSource, fixedAt, event, seenAt }: PepperTimes): Check[] {
  if (pepperSource.kind === 'committed') return []
  const { round } = pepperSource
  const publishedAt = beaconPublishedAt(round)
  const checks: Check[] = [
    {
      claim: `drand round ${round} is the first one published after ${event}, ${isoTime(fixedAt)}`,
      holds: round === firstBeaconAfter(fixedAt),
    },
  ]
  if (seenAt !== undefined) {
    checks.push({
      claim: `it was published, ${isoTime(publishedAt)}, after you looked, ${isoTime(seenAt)} by your own clock`,
      holds: publishedAt > seenAt,
    })
  }
  return checks
}
