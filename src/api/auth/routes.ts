import { Hono } from 'hono'
import type { z } from 'zod'
import { messageExpiresAt, signInMessage } from '../../auth/message.ts'
import { loadConfig } from '../../config/load.ts'
import { dayAt } from '../../core/utc-day.ts'
import { get, limited, parsed, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { MessageQuery } from './schema.ts'

export const authRoutes = new Hono<{ Bindings: Env }>()
  .get('/message', get(limited('READS', parsed(MessageQuery, readMessage))))
  .all('/message', onlyMethods('GET'))

/** Answers with today's message for a wallet to sign. */
async function readMessage({ env, input }: ApiCall<z.infer<typeof MessageQuery>>): Promise<object> {
  const window = dayAt(Date.now())
  const message = signInMessage(loadConfig(env), input.wallet, window)
  return { ok: true, message, window, expiresAt: messageExpiresAt(window) }
}
