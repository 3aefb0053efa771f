import { isoTime } from '../core/utc-day.ts'
import type { Check } from './check.ts'
import {
  beaconPublishedAt,
  beaconRandomness,
  firstBeaconAfter,
  isBeaconSignature,
} from './drand.ts'
import { commits } from './seed.ts'

/** The announced source of a pepper, fixed before anyone can know the pepper. */
export type PepperSource =
  | { kind: 'drand-quicknet'; round: number }
  | { kind: 'committed'; pepperHash: string }

/** Writes a source, for comparison. */
export function sourceText(source: PepperSource): string {
  return `${source.kind} ${source.kind === 'committed' ? source.pepperHash : source.round}`
}

/** A revealed pepper, with the proof that it comes from the announced source. */
export interface PublishedPepper {
  pepper: string
  pepperSource: PepperSource
  /** The beacon's signature, if the pepper comes from a beacon. */
  signature?: string
}

/** Returns whether a beacon round has a signature. */
export type IsSigned = (round: number, signature: string) => boolean

/**
 * Checks that a pepper comes from its announced source.
 * @param isSigned verifies signatures; an audit of many verifies them together afterwards
 */
export function verifyPepper(
  { pepper, pepperSource, signature = '' }: PublishedPepper,
  isSigned: IsSigned = isBeaconSignature,
): Check {
  if (pepperSource.kind === 'committed') {
    const { pepperHash } = pepperSource
    return {
      claim: `the pepper matches its hash ${pepperHash}`,
      holds: commits(pepperHash, pepper),
    }
  }
  return {
    claim: `the pepper is the signed randomness of drand quicknet round ${pepperSource.round}`,
    holds: isSigned(pepperSource.round, signature) && beaconRandomness(signature) === pepper,
  }
}

/**
 * Checks that a pepper isn't a secret of the house, which would know the outcome beforehand. Only local play, on the
 * reader's own machine, may use such a secret.
 */
export function verifyFromBeacon({ kind }: PepperSource): Check {
  const claim = 'its pepper comes from a public beacon, not from a secret of the house'
  return { claim, holds: kind === 'drand-quicknet' }
}

/** When a pepper's source was fixed, and when the player had the seed hash, in unix milliseconds. */
interface PepperTimes {
  pepperSource: PepperSource
  /** The pepper must be the first beacon published strictly after this. */
  fixedAt: number
  /** The event at `fixedAt`, for the claim: "bets closed". */
  event: string
  /** By the player's own clock; absent if the player didn't watch. */
  seenAt?: number | undefined
  /** Whether the player saw the source too, and compares it. */
  isSourceSeen: boolean
}

/**
 * Checks that nobody could know the beacon when the seed was fixed. A committed pepper has no time of its own: the
 * house could have chosen it afterwards, unless the player saw its hash. `fixedAt` is the service's own claim: without
 * `seenAt` the check only shows that source and time agree.
 */
export function verifyPepperTimes({
  pepperSource,
  fixedAt,
  event,
  seenAt,
  isSourceSeen,
}: PepperTimes): Check[] {
  if (pepperSource.kind === 'committed') {
    if (seenAt === undefined || isSourceSeen) return []
    return [{ claim: `you saw the hash of its pepper before ${event}`, holds: false }]
  }
  const { round } = pepperSource
  const publishedAt = beaconPublishedAt(round)
  const firstCheck = {
    claim: `drand round ${round} is the first one published after ${event} at ${isoTime(fixedAt)}`,
    holds: round === firstBeaconAfter(fixedAt),
  }
  if (seenAt === undefined) return [firstCheck]
  const claim = `it was published at ${isoTime(publishedAt)}, after ${isoTime(seenAt)} by your own clock`
  return [firstCheck, { claim, holds: publishedAt > seenAt, isByOwnClock: true }]
}
