import { Hono } from 'hono'
import { loadConfig } from '../../config/load.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { onlyMethods } from '../http/methods.ts'
import { validate } from '../http/schema.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { isRefusal } from '../../core/refusal.ts'
import { signInMessage, windowAt, windowExpiresAt } from '../../auth/message.ts'
import { MessageQuery } from './schema.ts'

export const authRoutes = new Hono<{ Bindings: Env }>()
  .get('/message', async (c) => {
    const limited = await spend(c.env.READS, clientAddress(c.req.raw))
    if (limited) return answerRefusal(limited)
    const parsed = validate(MessageQuery, c.req.query())
    if (isRefusal(parsed)) return answerRefusal(parsed)
    const window = windowAt(Date.now())
    const message = signInMessage(loadConfig(c.env), parsed.value.wallet, window)
    return answer({ ok: true, message, window, expiresAt: windowExpiresAt(window) })
  })
  .all('/message', onlyMethods('GET'))
