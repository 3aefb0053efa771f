import { beaconRandomness, isBeaconSignature } from '../fairness/drand.ts'
import { commitmentOf } from '../fairness/seed.ts'
import { crashPointOf } from './crash-point.ts'
import { toMultiplier } from './curve.ts'
import type { DisclosedRound, DisclosedVoid } from './disclosure.ts'

/** One thing that was checked, and whether it held. */
export interface Check {
  claim: string
  holds: boolean
}

/**
 * Checks everything a disclosed round claims: the house's commitment, the pepper's origin, and
 * the crash point that follows from both.
 * @param seenSeedHash the commitment the player saw before betting closed, if they kept it
 */
export function verifyRound(round: DisclosedRound, seenSeedHash?: string): Check[] {
  return [
    ...verifySeed(round, seenSeedHash),
    verifyPepper(round),
    {
      claim: `seed and pepper give a crash at ${round.crash}x`,
      holds: toMultiplier(crashPointOf(round)) === round.crash,
    },
  ]
}

/** Checks the commitment of a round that was voided. */
export function verifyVoid(round: DisclosedVoid): Check[] {
  return verifySeed(round)
}

function verifySeed(
  round: { seed: string; seedHash: string },
  seenSeedHash = round.seedHash,
): Check[] {
  return [
    {
      claim: `the seed is the one committed to before betting (${seenSeedHash})`,
      holds: commitmentOf(round.seed) === seenSeedHash && round.seedHash === seenSeedHash,
    },
  ]
}

function verifyPepper({ pepper, pepperSource, signature = '' }: DisclosedRound): Check {
  if (pepperSource.kind === 'committed') {
    return {
      claim: `the pepper is the one committed to before betting (${pepperSource.pepperHash})`,
      holds: commitmentOf(pepper) === pepperSource.pepperHash,
    }
  }
  return {
    claim: `the pepper is the randomness of drand quicknet round ${pepperSource.round}, signed by it`,
    holds:
      isBeaconSignature(pepperSource.round, signature) && beaconRandomness(signature) === pepper,
  }
}
