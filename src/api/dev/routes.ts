import { Hono } from 'hono'
import { loadConfig } from '../../config/load.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { readJsonObject } from '../http/body.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { ledger } from '../../objects.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import { PLAYERS } from './players.ts'
import { FaucetBody } from './schema.ts'

/** Wallets and chips to play with. Exist in local play only. */
export const devRoutes = new Hono<{ Bindings: Env }>()
  .use(async (c, next) => {
    if (loadConfig(c.env).environment === 'local') return next()
    return answerRefusal(refuse('not_found', 'There is nothing here.'))
  })
  .post('/faucet', async (c) => {
    const read = await readJsonObject(c.req.raw)
    if (isRefusal(read)) return answerRefusal(read)
    const parsed = validate(FaucetBody, read.body)
    if (isRefusal(parsed)) return answerRefusal(parsed)
    const { wallet, token, amountWei, id = crypto.randomUUID() } = parsed.value
    const me = await ledger(c.env, wallet).faucet(id, token, amountWei)
    return isRefusal(me) ? answerRefusal(me) : answer({ ok: true, me })
  })
  .all('/faucet', onlyMethods('POST'))
  .get('/players', () => answer({ ok: true, players: PLAYERS }))
  .all('/players', onlyMethods('GET'))
