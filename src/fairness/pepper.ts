import type { Check } from './check.ts'
import { beaconRandomness, isBeaconSignature } from './drand.ts'
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
