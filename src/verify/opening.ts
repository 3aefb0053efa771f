import { DAY_MS } from '../core/utc-day.ts'
import { checkSeen, type Check } from '../fairness/check.ts'
import { verifyPepper, verifyPepperTimes, type IsSigned } from '../fairness/pepper.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../lootbox/prizes.ts'
import { spinDay, spinMessage, type SpinPepper } from '../lootbox/spin.ts'

/** An opening as disclosed after its day, with everything that determines its tier. */
export interface DisclosedOpening {
  id: string
  /** The payment, or the pepper of a free spin. */
  from: { txHash: string; blockHash: string } | SpinPepper
  seedHash: string
  seed: string
  roll: number
  tier: number
  label: string
  /** The odds of every tier at the time, in basis points. */
  odds: number[]
}

const ALL_BPS = 10_000

/**
 * Checks an opening's claims: the house's commitment, the roll and the tier. The payer can check
 * separately that the block is the payment's and the odds are the published ones.
 * @param seen the seed hash shown before the payment or the spin, the hash of the day's pepper if one was shown before
 *   the spin, and the time of the request for the spin by the player's own clock, in unix milliseconds
 */
export function verifyOpening(
  opening: DisclosedOpening,
  seen: { seedHash?: string; pepperHash?: string; seenAt?: number } = {},
  isSigned?: IsSigned,
): Check[] {
  const { id, from, seedHash, seed, roll, tier, label, odds } = opening
  const isSpin = 'pepper' in from
  const message = isSpin
    ? spinMessage(id, from.pepper)
    : paymentMessage(from.txHash, from.blockHash)
  const rolled = isSecret(seed) ? rollOf(seed, message) : null
  const tiers = odds.map((bps) => ({ bps }))
  const won = rolled === null ? -1 : tierOfRoll(rolled, tiers)
  return [
    ...(isSpin ? verifySpin(id, from, seen, isSigned) : []),
    {
      claim: `the day's seed matches its seed hash ${seedHash}`,
      holds: commits(seedHash, seed),
    },
    {
      claim: `seed, ${isSpin ? 'wallet, day and pepper' : 'payment and block'} give the roll ${roll}`,
      holds: rolled !== null && Number(rolled) === roll,
    },
    {
      claim: `the odds add up to ${ALL_BPS}, and this roll wins tier ${tier}, ${label}`,
      holds: odds.reduce((sum, bps) => sum + bps, 0) === ALL_BPS && won === tier,
    },
    ...checkSeen('the seed hash is the one shown before', seedHash, seen.seedHash),
  ]
}

/** Checks the pepper's source, and that nobody could know the pepper when the spin was taken. */
function verifySpin(
  id: string,
  pepper: SpinPepper,
  { pepperHash, seenAt }: { pepperHash?: string; seenAt?: number },
  isSigned: IsSigned | undefined,
): Check[] {
  const { pepperSource, acceptedAt } = pepper
  const day = spinDay(id)
  const intoDayMs = acceptedAt - Date.parse(day)
  return [
    verifyPepper(pepper, isSigned),
    { claim: `the spin was taken on its day, ${day}`, holds: intoDayMs >= 0 && intoDayMs < DAY_MS },
    ...verifyPepperTimes({
      pepperSource,
      fixedAt: acceptedAt,
      event: 'the spin was taken',
      seenAt,
      isSourceSeen: pepperHash !== undefined,
    }),
    ...checkSeen(
      "the pepper's hash is the one shown before",
      pepperSource.kind === 'committed' ? pepperSource.pepperHash : 'none',
      pepperHash,
    ),
  ]
}
