import { Hono } from 'hono'
import type { Address } from 'viem'
import { loadConfig } from '../../config/load.ts'
import { chooseAction } from '../http/actions.ts'
import { answer, answerRefusal, answerText } from '../http/answer.ts'
import { readJsonObject, type JsonObject } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { InvariantError } from '../../core/invariant.ts'
import { logFault } from '../../log.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import type { BoxConfig } from '../../config/config.ts'
import { BoxBody, BuyBody, WalletQuery } from './schema.ts'
import { buy, claim, reveal, showBox, showWallet } from './shop.ts'

/** What a wallet sees is this old at most; its own next call may be sooner than its next block. */
const KEPT_MS = 1_000
const MOST_KEPT = 1_000

const kept = new Map<string, { json: string; at: number }>()

export const boxRoutes = new Hono<{ Bindings: Env }>()
  .get('/', (c) => show(c.env, c.req.raw, c.req.query()))
  .post('/', async (c) => {
    const read = await readJsonObject(c.req.raw)
    if (isRefusal(read)) return answerRefusal(read)
    const result = await act(c.env, c.req.raw, read.body)
    return isRefusal(result) ? answerRefusal(result) : answer(result)
  })
  .all('/', onlyMethods('GET, POST'))

async function show(env: Env, request: Request, query: Record<string, string>): Promise<Response> {
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return answerRefusal(limited)
  const { boxes } = loadConfig(env)
  if (!boxes) return answerRefusal(noBoxes())
  const view = 'boxId' in query ? boxView(boxes, query) : walletView(boxes, query)
  if (isRefusal(view)) return answerRefusal(view)
  const { key, read } = view
  const now = Date.now()
  const known = kept.get(key)
  if (known && now >= known.at && now - known.at < KEPT_MS) return answerText(known.json)
  const shown = await fromChain(read)
  if (isRefusal(shown)) return answerRefusal(shown)
  const json = JSON.stringify(shown)
  const [oldest] = kept.keys()
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.delete(key)
  kept.set(key, { json, at: now })
  return answerText(json)
}

/** What is asked to be shown, and what it is kept under. */
interface View {
  key: string
  read: () => Promise<object>
}

function walletView(boxes: BoxConfig, query: Record<string, string>): View | Refusal {
  const parsed = validate(WalletQuery, query)
  if (isRefusal(parsed)) return parsed
  const { wallet, from = 0 } = parsed.value
  return {
    key: `${boxes.contract} ${wallet} ${from}`,
    read: () => showWallet(boxes, wallet as Address, from),
  }
}

function boxView(boxes: BoxConfig, query: Record<string, string>): View | Refusal {
  const parsed = validate(BoxBody, query)
  if (isRefusal(parsed)) return parsed
  const { boxId } = parsed.value
  return { key: `${boxes.contract} ${boxId}`, read: () => showBox(boxes, boxId) }
}

async function act(env: Env, request: Request, body: JsonObject): Promise<object> {
  const action = chooseAction(actions, body)
  if (isRefusal(action)) return action
  const limited = await spend(env.READS, clientAddress(request))
  if (limited) return limited
  const { boxes } = loadConfig(env)
  if (!boxes) return noBoxes()
  return fromChain(() => action(boxes, body))
}

const actions: Record<string, (boxes: BoxConfig, body: JsonObject) => Promise<object>> = {
  buy: async (boxes, body) => {
    const parsed = validate(BuyBody, body)
    return isRefusal(parsed) ? parsed : buy(boxes, parsed.value.kind)
  },
  reveal: async (boxes, body) => {
    const parsed = validate(BoxBody, body)
    return isRefusal(parsed) ? parsed : reveal(boxes, parsed.value.boxId)
  },
  claim: async (boxes, body) => {
    const parsed = validate(BoxBody, body)
    return isRefusal(parsed) ? parsed : claim(boxes, parsed.value.boxId)
  },
}

/** A node that does not answer is no fault of ours; that the house's own facts do not fit is one. */
async function fromChain<T extends object>(ask: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await ask()
  } catch (fault) {
    if (fault instanceof InvariantError) throw fault
    logFault('the boxes could not be read', fault)
    return refuse('chain_unavailable', 'The chain cannot be reached now; try again.')
  }
}

function noBoxes(): Refusal {
  return refuse('not_configured', 'There are no boxes here.')
}
