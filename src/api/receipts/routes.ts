import { Hono } from 'hono'
import { publishedKeys } from '../../calls/receipt-keys.ts'
import { loadConfig } from '../../config/load.ts'
import { answerText } from '../http/answer.ts'
import { get, limited, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'

export const keyRoutes = new Hono<{ Bindings: Env }>()
  .get('/jwks.json', get(limited('READS', readKeys)))
  .all('/jwks.json', onlyMethods('GET'))

/** Anyone may check a receipt, on any site. */
const PUBLIC = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }

/** Answers with the keys of receipts, as a JWK set (RFC 7517). */
async function readKeys({ env }: ApiCall<unknown>): Promise<Response> {
  const keys = await publishedKeys(loadConfig(env))
  return answerText(JSON.stringify({ keys }), 200, PUBLIC)
}
