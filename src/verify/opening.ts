import type { Check } from '../fairness/check.ts'
import { verifyPepper, verifyPepperTimes } from '../fairness/pepper.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../lootbox/prizes.ts'
import { DAY_MS } from '../core/utc-day.ts'
import { spinDay, spinMessage, type SpinPepper } from '../lootbox/spin.ts'

/** An opening as it is disclosed once its day is over: everything that its tier follows from. */
export interface DisclosedOpening {
  id: string
  /** What it was paid with, or the pepper of a free spin. */
  from: { txHash: string; blockHash: string } | SpinPepper
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
 * @param seen the seed hash that was shown before the payment or the spin, and when the spin was asked
 *   for by the player's own clock, in unix milliseconds
 */
export function verifyOpening(
  opening: DisclosedOpening,
  seen: { seedHash?: string; seenAt?: number } = {},
): Check[] {
  const { id, from, seedHash, seed, roll, tier, label, odds } = opening
  const isSpin = 'pepper' in from
  const message = isSpin
    ? spinMessage(id, from.pepper)
    : paymentMessage(from.txHash, from.blockHash)
  const rolled = isSecret(seed) ? rollOf(seed, message) : null
  const won =
    rolled === null
      ? -1
      : tierOfRoll(
          rolled,
          odds.map((bps) => ({ bps })),
        )
  const checks: Check[] = [
    ...(isSpin ? verifySpin(id, from, seen.seenAt) : []),
    {
      claim: `the day's seed belongs to its seed hash ${seedHash}`,
      holds: commits(seedHash, seed),
    },
    {
      claim: `seed, ${isSpin ? 'wallet, day and pepper' : 'payment and block'} roll ${roll}`,
      holds: rolled !== null && Number(rolled) === roll,
    },
    {
      claim: `the odds are of ${ALL_BPS} in all, and this roll wins tier ${tier}, ${label}`,
      holds: odds.reduce((sum, bps) => sum + bps, 0) === ALL_BPS && won === tier,
    },
  ]
  if (seen.seedHash !== undefined) {
    checks.push({
      claim: 'the seed hash is the one shown before',
      holds: seedHash === seen.seedHash,
    })
  }
  return checks
}

/** Checks where the pepper comes from, and that it could not be known when the spin was taken. */
function verifySpin(id: string, pepper: SpinPepper, seenAt: number | undefined): Check[] {
  const { pepperSource, acceptedAt } = pepper
  const day = spinDay(id)
  const intoDayMs = acceptedAt - Date.parse(day)
  return [
    verifyPepper(pepper),
    { claim: `the spin was taken on its day, ${day}`, holds: intoDayMs >= 0 && intoDayMs < DAY_MS },
    ...verifyPepperTimes({
      pepperSource,
      fixedAt: acceptedAt,
      event: 'the spin was taken',
      seenAt,
    }),
  ]
}
