import { DAY_MS, dateOf, isoTime, startOfDay } from '../core/utc-day.ts'
import { checkSeen, type Check } from '../fairness/check.ts'
import {
  sourceText,
  verifyFromBeacon,
  verifyPepper,
  verifyPepperTimes,
  type IsSigned,
  type PepperSource,
} from '../fairness/pepper.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { disclosedAt } from '../lootbox/disclosure.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../lootbox/prizes.ts'
import { spinDay, spinMessage, type SpinPepper } from '../lootbox/spin.ts'
import { ALL_BPS } from '../money/rational.ts'
import type { LoggedEntry } from '../transparency/entry.ts'

/** An opening as disclosed after its day, with everything that determines its tier. */
export interface DisclosedOpening {
  id: string
  /** The payment, or the pepper of a free spin. */
  from: { txHash: string; blockHash: string } | SpinPepper
  /** The UTC day of the seed, as YYYY-MM-DD. */
  day: string
  seedHash: string
  seed: string
  roll: number
  tier: number
  label: string
  /** The odds of every tier at the time, in basis points. */
  odds: number[]
  /** In the asset's smallest unit. */
  prize?: string
  asset?: string
}

/** The player's earlier knowledge of an opening. Times are in unix milliseconds, by the player's own clock. */
export interface SeenOpening {
  /** Shown before the payment or the spin. */
  seedHash?: string
  /** The hash of the day's pepper, if one was shown before the spin. */
  pepperHash?: string
  /** When the block of the payment was made, by the chain. */
  paidAt?: number
  /** When the spin was first asked for. */
  seenAt?: number
  /** When the call was sent that was answered; by default `seenAt`. Earlier ones may have failed. */
  askedAt?: number
  /** The time in the first answer about the spin. Later answers must have the same. */
  acceptedAt?: number
  pepperSource?: PepperSource
  /** Whether the pepper of a free spin must come from a public beacon: on any site except local play. */
  needsBeacon?: boolean
}

/** The player's earlier knowledge of a free spin, except for the seed hash. */
export type SeenSpin = Omit<SeenOpening, 'seedHash' | 'paidAt'>

/**
 * A spin is taken at most this long after the call that was answered. The page waits as long for an answer, so an
 * honest house can't take it later. A house that holds a call back can pass over a beacon every three seconds.
 */
const TAKEN_WITHIN_MS = 10_000

/** The reader's clock and the house's may differ by this much, in milliseconds. */
export const READER_CLOCK_SKEW_MS = 3_600_000

/**
 * Checks that a seed may still be secret: a house that doesn't like a seed's results could withhold it, or roll with
 * the seed of a distant day. Returns no check while the seed may be secret.
 * @param now by the reader's clock, in unix milliseconds
 */
export function checkDisclosed(day: string, now: number): Check[] {
  if (now >= startOfDay(day) - READER_CLOCK_SKEW_MS && now < seedDueAt(day)) return []
  const claim = `the seed of ${day}, which must not be a later day, is disclosed by ${isoTime(seedDueAt(day))} by your own clock`
  return [{ claim, holds: false, isByOwnClock: true }]
}

/**
 * Checks a payment's opening whose seed is not disclosed. Without the time of the payment's block, a house could
 * withhold the seed forever by naming a newer day whenever it is asked. Returns no check while the seed may be secret.
 * @param day as the house names it @param now by the reader's clock, in unix milliseconds
 * @param paidAt when the block of the payment was made, by the chain, in unix milliseconds
 */
export function checkWithheld(day: string, now: number, paidAt?: number): Check[] {
  if (paidAt === undefined) return checkDisclosed(day, now)
  const checks = [checkPaidDay(day, paidAt), ...checkDisclosed(dateOf(paidAt), now)]
  return checks.every(({ holds }) => holds) ? [] : checks
}

/** Returns when the seed of a day must be disclosed at the latest, by any clock, in unix milliseconds. */
export function seedDueAt(day: string): number {
  return disclosedAt(day) + READER_CLOCK_SKEW_MS
}

/** A public log's entries on the seed of a lootbox day; null for a missing one. */
export interface LoggedSeed {
  commitment: LoggedEntry | null
  /** When that was logged, at the earliest, in unix milliseconds. Its own time may be dated back. */
  committedAt: number | null
  seed: LoggedEntry | null
}

/**
 * Checks an opening's seed against the public log. The house may tell each caller of another seed.
 * @param now by the reader's clock, in unix milliseconds
 */
export function verifySeedAsLogged(
  { day, seedHash, seed }: DisclosedOpening,
  logged: LoggedSeed,
  now: number,
): Check[] {
  const isAwaited = !logged.seed && now < seedDueAt(day)
  return [
    {
      claim: `the public log has the seed hash of ${day}, and it is this one`,
      holds: logged.commitment?.entry['seedHash'] === seedHash,
    },
    ...(isAwaited
      ? []
      : [
          {
            claim: `the public log has the seed of ${day}, and it is this one`,
            holds: logged.seed?.entry['seed'] === seed,
          },
        ]),
  ]
}

/**
 * Checks an opening's claims: the house's commitment, the roll and the tier. The block is the house's word: only the
 * chain tells whether it is the payment's. The payer can check separately that the odds are the published ones.
 */
export function verifyOpening(
  opening: DisclosedOpening,
  seen: SeenOpening = {},
  isSigned?: IsSigned,
): Check[] {
  const { id, from, day, seedHash, seed, roll, tier, label, odds } = opening
  const isSpin = 'pepper' in from
  const message = isSpin
    ? spinMessage(id, from.pepper)
    : paymentMessage(from.txHash, from.blockHash)
  const rolled = isSecret(seed) ? rollOf(seed, message) : null
  const tiers = odds.map((bps) => ({ bps }))
  const won = rolled === null ? -1 : tierOfRoll(rolled, tiers)
  return [
    checkMessage(opening),
    ...(isSpin ? verifySpin(id, from, seen, isSigned) : []),
    ...checkDay(opening, seen.paidAt),
    {
      claim: `the seed of ${day} matches its seed hash ${seedHash}`,
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

const HASH = /^0x[0-9a-f]{64}$/
const SPIN_ID = /^spin:0x[0-9a-f]{40}:\d{4}-\d\d-\d\d$/

/** Checks that a payment, a block or a wallet has its canonical spelling: another spelling gives another roll. */
function checkMessage({ id, from }: DisclosedOpening): Check {
  if ('pepper' in from) {
    return { claim: 'its id names wallet and day in lower case', holds: SPIN_ID.test(id) }
  }
  const { txHash, blockHash } = from
  const holds = id === txHash && HASH.test(txHash) && HASH.test(blockHash)
  return { claim: 'its id is the payment, and payment and block are in lower case', holds }
}

/**
 * Checks that the seed is the one of the day of the spin, or of the payment's block if its time is known. The house
 * knows the seeds of all days, so under any other one it could choose the roll.
 */
function checkDay({ id, from, day }: DisclosedOpening, paidAt?: number): Check[] {
  if ('pepper' in from) {
    return [{ claim: `its seed is of the spin's day, ${spinDay(id)}`, holds: day === spinDay(id) }]
  }
  return paidAt === undefined ? [] : [checkPaidDay(day, paidAt)]
}

/** Checks that a seed is of the day of a payment's block. @param paidAt when that was made, in unix milliseconds */
export function checkPaidDay(day: string, paidAt: number): Check {
  const claim = `its seed is of the day of its payment's block, made at ${isoTime(paidAt)}`
  return { claim, holds: day === dateOf(paidAt) }
}

/**
 * Checks the pepper's source, that nobody could know the pepper when the spin was taken, and that it was taken at once.
 */
function verifySpin(
  id: string,
  pepper: SpinPepper,
  seen: SeenOpening,
  isSigned: IsSigned | undefined,
): Check[] {
  const { pepperSource, acceptedAt } = pepper
  const { pepperHash, seenAt, askedAt = seenAt } = seen
  const day = spinDay(id)
  const intoDayMs = acceptedAt - startOfDay(day)
  return [
    verifyPepper(pepper, isSigned),
    ...(seen.needsBeacon ? [verifyFromBeacon(pepperSource)] : []),
    { claim: `the spin was taken on its day, ${day}`, holds: intoDayMs >= 0 && intoDayMs < DAY_MS },
    ...verifyPepperTimes({
      pepperSource,
      fixedAt: acceptedAt,
      event: 'the spin was taken',
      seenAt,
      isSourceSeen: pepperHash !== undefined,
    }),
    ...checkTaken(pepper, askedAt),
    ...checkSeen('it was taken when the first answer said', acceptedAt, seen.acceptedAt),
    ...checkSeen(
      'its pepper comes from the source that the first answer named',
      sourceText(pepperSource),
      seen.pepperSource && sourceText(seen.pepperSource),
    ),
    ...checkSeen(
      "the pepper's hash is the one shown before",
      pepperSource.kind === 'committed' ? pepperSource.pepperHash : 'none',
      pepperHash,
    ),
  ]
}

/**
 * Checks that a spin was not held back until a beacon suited the house. A committed pepper can't be chosen like this.
 */
function checkTaken({ acceptedAt, pepperSource }: SpinPepper, askedAt?: number): Check[] {
  if (askedAt === undefined || pepperSource.kind === 'committed') return []
  const claim = `the spin was taken at ${isoTime(acceptedAt)}, within ten seconds of your call at ${isoTime(askedAt)} by your own clock`
  return [{ claim, holds: acceptedAt <= askedAt + TAKEN_WITHIN_MS, isByOwnClock: true }]
}
