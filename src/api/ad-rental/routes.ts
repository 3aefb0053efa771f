import { Hono } from 'hono'
import { openDays, shownTier, tierOf } from '../../ad-rental/slots.ts'
import { retried } from '../../calls/call.ts'
import { currentModes } from '../../calls/modes.ts'
import { payment } from '../../calls/objects.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import { dateOf } from '../../core/utc-day.ts'
import { readRentals } from '../../history/rentals.ts'
import { isAdShown } from '../../operator/modes.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { get, limited, postByAction, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { validate } from '../http/schema.ts'
import { accepted } from '../payment/accepted.ts'
import { RentBody } from './schema.ts'

/** Rentals begin and end at midnight, so each day has its own copy; one for today begins when it is booked. */
const rentals = new BriefCache<Awaited<ReturnType<typeof readRentals>>>(1_000)

export const adRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', availability)))
  .post('/', postByAction({ rent: accepted(signed('MONEY_CALLS', rent)) }))
  .all('/', onlyMethods('GET, POST'))

/** Answers with the current rental, the available days and the prices. */
async function availability({ env }: ApiCall<unknown>): Promise<object> {
  const { ads } = loadConfig(env)
  if (!ads.protocolWallet) return NO_SLOT
  const now = Date.now()
  const days = openDays(now)
  const today = dateOf(now)
  const { active, taken } = await rentals.get(today, () => readRentals(env.DB, now, days))
  // Without an ad, nobody has to know the modes.
  const isShown = active !== null && isAdShown(await currentModes(env), active.id, now)
  return {
    ok: true,
    activeRental: isShown ? active : null,
    availableSlots: days.map((date) => ({ date, available: !taken.has(date) })),
    tiers: ads.tiers.map(shownTier),
    protocolWallet: ads.protocolWallet,
  }
}

async function rent({ env, request, wallet, input }: SignedCall): Promise<object> {
  const { ads, chain } = loadConfig(env)
  if (!ads.protocolWallet) return NO_SLOT
  if (!chain)
    return refuse('chain_unavailable', 'No chain is configured for payments. Contact the operator.')
  const read = validate(RentBody, input)
  if (isRefusal(read)) return read
  const { txHash, date, hours, title, imageUrl, linkUrl } = read.value
  const order = { wallet, date, hours, title, imageUrl, linkUrl }
  const tier = tierOf(ads.tiers, hours)
  const recipient = ads.protocolWallet
  const tooMany = await limitNetwork(env, request, 'payments')
  if (tooMany) return tooMany
  try {
    return await retried(async () =>
      payment(env, chain.chainId, txHash).rent(order, tier, recipient),
    )
  } finally {
    // The renter sees their ad at once, and days are taken even if the answer was lost.
    rentals.forget()
  }
}

const NO_SLOT = refuse('not_configured', 'Ad rental is not configured on this site.')
