import { bytesToHex } from '@noble/hashes/utils'
import { isOwnMachine } from '../../core/own-machine.ts'
import { DAY_MS, dateOf, isoTime } from '../../core/utc-day.ts'
import { checkSeen, type Check, type Step } from '../../fairness/check.ts'
import { commitmentOf, hmacOf, isSecret } from '../../fairness/seed.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import { paymentMessage, rollOf } from '../../lootbox/prizes.ts'
import { isSpin, spinDay, spinId, spinMessage } from '../../lootbox/spin.ts'
import {
  checkDisclosed,
  READER_CLOCK_SKEW_MS,
  verifyOpening,
  type DisclosedOpening,
} from '../../verify/opening.ts'
import { fail, get, isFailure, post, type Failure } from '../api.ts'
import { kept, type Keepsakes } from '../keepsakes.ts'
import type { Proof } from './proof.ts'

type Open = OpeningAnswer['open']

/** Verifies an opening on this machine: one made in this browser, or one that the signed-in wallet has paid for. */
export async function proveOpening(id: string, signedIn?: string): Promise<Proof | Failure> {
  const keepsake = kept('openings', id) ?? (await askedFor(id, signedIn))
  if (isFailure(keepsake)) return keepsake
  const open = keepsake.open as Open
  const seed = open.seed ?? (await seedOf(keepsake.wallet, open))
  if (typeof seed === 'object') return seed
  const from = originOf(open)
  const shown = kept('commitments', id)
  const asShown = shown ? checkShown(open, shown) : []
  const message =
    'pepper' in from ? spinMessage(id, from.pepper) : paymentMessage(from.txHash, from.blockHash)
  const steps = [...originSteps(open), { name: 'Message', value: message }]
  const title = `${open.label}, ${'pepper' in from ? 'free spin' : 'lootbox'} of ${open.day}`
  if (!isSecret(seed)) return { title, steps, ...withoutSeed(id, open, asShown) }
  return {
    title,
    steps: [
      { name: 'Seed of the day', value: seed },
      { name: 'SHA-256 of the seed’s bytes', value: commitmentOf(seed) },
      ...steps,
      ...rollSteps(seed, message, open.odds),
    ],
    checks: [
      checkIsOf(id, keepsake.wallet, from),
      ...verifyOpening(
        // The house chooses the contents of its answer, so the requested id counts.
        { ...open, id: id.toLowerCase(), seed, from },
        {
          ...kept('days', 'pepper' in from ? spinDay(id) : open.day),
          ...kept('spins', id),
          needsBeacon: !isOwnMachine(location.hostname),
        },
      ),
      ...asShown,
    ],
    note: [!shown && NOT_SEEN, !('pepper' in from) && OF_CHAIN].filter(Boolean).join(' '),
  }
}

/** Checks that the answer is rolled for this payment, or for this wallet's spin of that day. */
function checkIsOf(id: string, wallet: string, from: DisclosedOpening['from']): Check {
  if ('pepper' in from) {
    return {
      claim: `it is your free spin of ${spinDay(id)}`,
      holds: id === spinId(wallet, spinDay(id)),
    }
  }
  const holds = from.txHash.toLowerCase() === id.toLowerCase()
  return { claim: `it was rolled for your payment ${id}`, holds }
}

/**
 * Checks that the house rolled with a seed that it had committed to in time, of whatever day, for the prizes that it
 * showed.
 */
function checkShown(open: Open, shown: Keepsakes['commitments']): Check[] {
  const { seedHashes, prizes, paidWithin } = shown
  const { txHash, odds, tier, prize, asset } = open
  const when = txHash ? 'paid' : 'spun'
  const won = prizes?.[tier]
  return [
    {
      claim: `its seed hash is one of the two, of that day and the next, shown when you ${when}`,
      holds: seedHashes.includes(open.seedHash),
    },
    ...checkSeen(
      `its odds and its prize are those shown when you ${when}`,
      String([odds, prize, asset]),
      prizes && String([prizes.map(({ bps }) => bps), won?.prize, won?.asset]),
    ),
    ...(paidWithin ? [checkPaidOn(open.day, ...paidWithin)] : []),
  ]
}

/**
 * Checks that the seed is of the day of the payment: a house that doesn't like the roll of one day could wait for the
 * next. The hour that clocks may differ by covers the wait for a block, too.
 * @param from when the wallet was asked for the payment
 * @param to when it named the payment's hash
 */
function checkPaidOn(day: string, from: number, to: number): Check {
  return {
    claim: `its seed is of the day of your payment, sent at ${isoTime(to)} by your own clock, give or take an hour`,
    holds: dateOf(from - READER_CLOCK_SKEW_MS) <= day && day <= dateOf(to + READER_CLOCK_SKEW_MS),
    isByOwnClock: true,
  }
}

/** Returns the steps from a day's seed and a message to the roll. @param odds in basis points, by tier */
export function rollSteps(seed: string, message: string, odds: readonly number[]): Step[] {
  const roll = rollOf(seed, message)
  return [
    {
      name: 'HMAC-SHA256 of the message, keyed with the seed',
      value: bytesToHex(hmacOf(seed, message)),
    },
    { name: 'Roll: the first 52 bits', value: String(roll) },
    { name: 'Roll, scaled to 10,000', value: ((Number(roll) / 2 ** 52) * 10_000).toFixed(4) },
    { name: 'Chance of each tier, in basis points', value: odds.join(', ') },
  ]
}

/**
 * Returns the meaning of a seed that is not disclosed. A spin's seed is listed for days only.
 * @param asShown the checks that need no seed. Alone, they verify nothing, but they may fail.
 */
function withoutSeed(id: string, open: Open, asShown: Check[]): Pick<Proof, 'checks' | 'note'> {
  const broken = asShown.filter(({ holds }) => !holds)
  const now = Date.now()
  const day = open.txHash ? open.day : spinDay(id)
  if (!open.txHash && Date.parse(day) < now - LISTED_MS) return { checks: broken, note: NOT_LISTED }
  const checks = [...checkDisclosed(day, now), ...broken]
  return checks.length > 0 ? { checks } : { checks, note: NOT_OVER }
}

/** The service lists the seeds of the last seven days. By another clock, the seventh may have left the list. */
const LISTED_MS = 6 * DAY_MS

/** Returns the seed of an opening whose day has ended; empty before. */
async function seedOf(wallet: string, { day, txHash }: Open): Promise<string | Failure> {
  const told = await get<{ days: { day: string; seed: string | null }[] }>('/api/lootbox', {
    action: 'verify-seeds',
  })
  if (isFailure(told)) return told
  const seed = told.days.find((each) => each.day === day)?.seed
  if (seed || !txHash) return seed ?? ''
  const again = await openAgain(wallet, txHash)
  return isFailure(again) ? again : (again.open?.seed ?? '')
}

/** Asks for a payment's opening, which is the same as at first. */
function openAgain(wallet: string, txHash: string): Promise<Partial<OpeningAnswer> | Failure> {
  return post('/api/lootbox', { action: 'open', wallet, txHash })
}

async function askedFor(
  id: string,
  wallet: string | undefined,
): Promise<Keepsakes['openings'] | Failure> {
  if (isSpin(id)) return fail('not_found', 'This free spin was not taken in this browser.')
  if (wallet === undefined)
    return fail('not_found', 'Sign in with the wallet that paid, then open this page again.')
  const told = await openAgain(wallet, id)
  if (isFailure(told)) return told
  const { open } = told
  return open ? { wallet, open } : fail('not_found', 'This payment has not opened a lootbox yet.')
}

function originOf(open: Open): DisclosedOpening['from'] {
  const { acceptedAt, pepper, pepperSource, signature = '', txHash, blockHash } = open
  if (acceptedAt !== undefined && pepper !== undefined && pepperSource)
    return { acceptedAt, pepper, pepperSource, signature }
  return { txHash: txHash ?? '', blockHash: blockHash ?? '' }
}

function originSteps({ txHash, blockHash, pepper, seedHash }: Open): Step[] {
  const committed = { name: 'Seed hash of the day', value: seedHash }
  if (pepper !== undefined) return [committed, { name: 'Pepper', value: pepper }]
  return [
    committed,
    { name: 'Your payment', value: txHash ?? '' },
    { name: 'Block of the payment', value: blockHash ?? '' },
  ]
}

const NOT_OVER =
  'The day has not ended. Its seed is published ten minutes after midnight UTC. Come back then to verify the result.'

const NOT_LISTED =
  'The service lists the seeds of the last seven days only. The public log has all of them.'

const OF_CHAIN =
  'The block is the one that this site names. Look your payment up in an explorer: it must be in this block.'

const NOT_SEEN =
  'The maths is right. Only the browser that paid or spun can also confirm the seed hash shown beforehand.'
