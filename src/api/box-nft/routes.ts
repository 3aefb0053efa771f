import { Hono } from 'hono'
import type { Address } from 'viem'
import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { currentConfig } from '../../calls/current-config.ts'
import { namedTerms } from '../../calls/log-terms.ts'
import { currentModes } from '../../calls/modes.ts'
import { ledger } from '../../calls/objects.ts'
import type { BoxConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { isWithin } from '../../core/age.ts'
import { setBounded } from '../../core/bounded-map.ts'
import { InvariantError } from '../../core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { CHAIN_UNREACHABLE } from '../../ledger/refusals.ts'
import { logFault } from '../../log.ts'
import { BOXES, checkOpenFor } from '../../operator/modes.ts'
import { answerText } from '../http/answer.ts'
import { get, limited, postByAction, type ApiCall, type Handler } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { validate } from '../http/schema.ts'
import { BoxBody, BuyBody, WalletQuery } from './schema.ts'
import { buy, claim, reveal, showBox, showWallet } from './shop.ts'

/** The maximum age of a cached view. */
const KEPT_MS = 1_000
const MAX_KEPT = 1_000

/** Without a signature anyone may ask, so the answer does not say for how long. */
const NOT_SOLD = refuse('excluded', 'Boxes can’t be bought for this wallet now.', { until: null })

const kept = new Map<string, { json: string; at: number }>()

export const boxRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', show)))
  .post(
    '/',
    postByAction({
      buy: box(BuyBody, async (boxes, { kind, wallet }, { env }) => {
        // A payment on chain is always honoured, so an excluded player is refused before it.
        const [isBarred, modes] = await Promise.all([
          wallet ? retried(async () => ledger(env, wallet).isExcluded()) : false,
          currentModes(env),
        ])
        if (isBarred) return NOT_SOLD
        return checkOpenFor(modes, [BOXES], Date.now()) ?? buy(boxes, kind)
      }),
      reveal: box(
        BoxBody,
        counted((boxes, { boxId }) => reveal(boxes, boxId)),
      ),
      claim: box(
        BoxBody,
        counted((boxes, { boxId }) => claim(boxes, boxId)),
      ),
    }),
  )
  .all('/', onlyMethods('GET, POST'))

async function show({ env, request, input }: ApiCall<Record<string, string>>): Promise<object> {
  const config = loadConfig(env)
  const { boxes } = config
  if (!boxes) return NO_BOXES
  const shop = { boxes, terms: await namedTerms(env, await currentConfig(env)) }
  if ('boxId' in input) {
    const read = validate(BoxBody, input)
    if (isRefusal(read)) return read
    const { boxId } = read.value
    return cached(`${boxes.contract} ${boxId}`, async () => {
      return (await limitNetwork(env, request, 'boxes')) ?? showBox(shop, boxId)
    })
  }
  const read = validate(WalletQuery, input)
  if (isRefusal(read)) return read
  const { wallet, from = 0, order = 'oldest' } = read.value
  const key = `${boxes.contract} ${wallet} ${from} ${order}`
  return cached(key, async () => {
    const page = { from, isNewestFirst: order === 'newest' }
    return (await limitNetwork(env, request, 'boxes')) ?? showWallet(shop, wallet as Address, page)
  })
}

/** Answers with a view from the chain, or from the cache. */
async function cached(key: string, read: () => Promise<object>): Promise<object> {
  const now = Date.now()
  const known = kept.get(key)
  if (known && isWithin(KEPT_MS, known.at, now)) return answerText(known.json)
  const shown = await fromChain(read)
  if (isRefusal(shown)) return shown
  const json = JSON.stringify(shown)
  setBounded(kept, key, { json, at: now }, MAX_KEPT)
  return answerText(json)
}

type Act<T> = (boxes: BoxConfig, body: T, call: ApiCall) => Promise<object>

/** Counts an action that reads the chain against the caller's network before it does. */
function counted<T>(act: Act<T>): Act<T> {
  return async (boxes, body, call) =>
    (await limitNetwork(call.env, call.request, 'boxes')) ?? act(boxes, body, call)
}

/** An action on boxes. Each answers with a transaction for the caller's wallet to send. */
function box<T>(schema: z.ZodType<T>, act: Act<T>): Handler {
  return limited('READS', async (call) => {
    const { env, input } = call
    const { boxes } = loadConfig(env)
    if (!boxes) return NO_BOXES
    const read = validate(schema, input)
    return isRefusal(read) ? read : fromChain(() => act(boxes, read.value, call))
  })
}

/** Refuses if the node doesn't answer. An invariant of the house's own data is still a fault. */
async function fromChain<T extends object>(ask: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await ask()
  } catch (fault) {
    if (fault instanceof InvariantError) throw fault
    logFault('boxes_read_failed', fault)
    return CHAIN_UNREACHABLE
  }
}

const NO_BOXES = refuse('not_configured', 'Boxes are not configured on this site.')
