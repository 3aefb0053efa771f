import { Hono } from 'hono'
import { authenticate } from '../auth/authenticate.ts'
import { loadConfig } from '../../config/load.ts'
import { readRentals } from '../../history/rentals.ts'
import { chooseAction } from '../http/actions.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { payment, retried } from '../../objects.ts'
import { isPending } from '../../payment/answers.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { RentBody } from './schema.ts'
import { openDays, shownTier, tierOf } from '../../ad-rental/slots.ts'

export const adRoutes = new Hono<{ Bindings: Env }>()
  .get('/', (c) => availability(c.env, c.req.raw))
  .post('/', async (c) => {
    const read = await readJsonObject(c.req.raw)
    if (isRefusal(read)) return answerRefusal(read)
    const action = chooseAction({ rent }, read.body)
    if (isRefusal(action)) return answerRefusal(action)
    const result = await action(c.env, c.req.raw, read.body)
    if (isRefusal(result)) return answerRefusal(result)
    return answer(result, isPending(result) ? 202 : 200)
  })
  .all('/', onlyMethods('GET, POST'))

/** What is shown now, what can be rented, and what it costs. */
async function availability(env: Env, request: Request): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const { ads } = loadConfig(env)
  if (!ads.protocolWallet) return answerRefusal(noSlot())
  const now = Date.now()
  const days = openDays(now)
  const { active, taken } = await readRentals(env.DB, now, days)
  return answer({
    ok: true,
    activeRental: active,
    availableSlots: days.map((date) => ({ date, available: !taken.has(date) })),
    tiers: ads.tiers.map(shownTier),
    protocolWallet: ads.protocolWallet,
  })
}

async function rent(env: Env, request: Request, body: JsonObject): Promise<object> {
  const caller = await authenticate(env, request, body)
  if (isRefusal(caller)) return caller
  const { wallet } = caller
  const limited = await spend(env.MONEY_CALLS, wallet)
  if (limited) return limited
  const { ads, chain } = loadConfig(env)
  if (!ads.protocolWallet) return noSlot()
  if (!chain) return refuse('chain_unavailable', 'No chain is configured to be paid on.')
  const parsed = validate(RentBody, body)
  if (isRefusal(parsed)) return parsed
  const { txHash, date, hours, title, imageUrl, linkUrl } = parsed.value
  const order = { wallet, date, hours, title, imageUrl, linkUrl }
  const tier = tierOf(ads.tiers, hours)
  const recipient = ads.protocolWallet
  return retried(async () => payment(env, chain.chainId, txHash).rent(order, tier, recipient))
}

function noSlot(): Refusal {
  return refuse('not_configured', 'There is no advertising slot here.')
}
