import { Hono } from 'hono'
import { openDays, shownTier, tierOf } from '../../ad-rental/slots.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { readRentals } from '../../history/rentals.ts'
import { payment, retried } from '../../objects.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { get, limited, postByAction, type Call } from '../http/call.ts'
import { spendOnNode } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { accepted } from '../payment/accepted.ts'
import { RentBody } from './schema.ts'

export const adRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', availability)))
  .post('/', postByAction({ rent: accepted(signed('MONEY_CALLS', rent)) }))
  .all('/', onlyMethods('GET, POST'))

/** Answers with the current rental, the available days and the prices. */
async function availability({ env }: Call<unknown>): Promise<object> {
  const { ads } = loadConfig(env)
  if (!ads.protocolWallet) return noSlot()
  const now = Date.now()
  const days = openDays(now)
  const { active, taken } = await readRentals(env.DB, now, days)
  return {
    ok: true,
    activeRental: active,
    availableSlots: days.map((date) => ({ date, available: !taken.has(date) })),
    tiers: ads.tiers.map(shownTier),
    protocolWallet: ads.protocolWallet,
  }
}

async function rent({ env, request, wallet, input }: SignedCall): Promise<object> {
  const { ads, chain } = loadConfig(env)
  if (!ads.protocolWallet) return noSlot()
  if (!chain)
    return refuse('chain_unavailable', 'No chain is configured for payments. Contact the operator.')
  const read = validate(RentBody, input)
  if (isRefusal(read)) return read
  const { txHash, date, hours, title, imageUrl, linkUrl } = read.value
  const order = { wallet, date, hours, title, imageUrl, linkUrl }
  const tier = tierOf(ads.tiers, hours)
  const recipient = ads.protocolWallet
  return (
    (await spendOnNode(env, request, 'payment')) ??
    retried(async () => payment(env, chain.chainId, txHash).rent(order, tier, recipient))
  )
}

function noSlot(): Refusal {
  return refuse('not_configured', 'Ad rental is not configured on this site.')
}
