import type { Check } from '../fairness/check.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from './prizes.ts'

/** An opening as it is disclosed once its day is over: everything that its tier follows from. */
export interface DisclosedOpening {
  id: string
  txHash: string
  blockHash: string
  seedHash: string
  seed: string
  roll: number
  tier: number
  label: string
  /** The bps of every tier, as they were. */
  odds: number[]
}

const ALL_BPS = 10_000

/**
 * Checks everything an opening claims: the house's commitment, the roll, and the tier. That the block is
 * the payment's, and the odds those that were published, its payer can tell.
 * @param seen the seed hash that was shown before the payment
 */
export function verifyOpening(
  opening: DisclosedOpening,
  seen: { seedHash?: string } = {},
): Check[] {
  const { txHash, blockHash, seedHash, seed, roll, tier, label, odds } = opening
  const rolled = isSecret(seed) ? rollOf(seed, paymentMessage(txHash, blockHash)) : null
  const won =
    rolled === null
      ? -1
      : tierOfRoll(
          rolled,
          odds.map((bps) => ({ bps })),
        )
  const checks: Check[] = [
    {
      claim: `the day's seed belongs to its seed hash ${seedHash}`,
      holds: commits(seedHash, seed),
    },
    {
      claim: `seed, payment and block roll ${roll}`,
      holds: rolled !== null && Number(rolled) === roll,
    },
    {
      claim: `the odds are of ${ALL_BPS} in all, and this roll wins tier ${tier}, ${label}`,
      holds: odds.reduce((sum, bps) => sum + bps, 0) === ALL_BPS && won === tier,
    },
  ]
  if (seen.seedHash !== undefined) {
    checks.push({
      claim: 'the seed hash is the one shown before the payment',
      holds: seedHash === seen.seedHash,
    })
  }
  return checks
}
