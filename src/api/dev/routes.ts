import { Hono } from 'hono'
import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { exporter, ledger, solvency } from '../../calls/objects.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import { writeVerifierKey } from '../../transparency/note.ts'
import { answer, answerRefusal } from '../http/answer.ts'
import { parsed, post, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { OPERATORS, PLAYERS } from './players.ts'
import { FaucetBody, SolvencyBody } from './schema.ts'

/** Wallets and chips for local play; other environments answer `not_found`. */
export const devRoutes = new Hono<{ Bindings: Env }>()
  .use(async (c, next) => {
    if (loadConfig(c.env).environment === 'local') return next()
    return answerRefusal(
      refuse('not_found', 'This path does not exist. See /reference for the API.'),
    )
  })
  .post('/faucet', post(parsed(FaucetBody, faucet)))
  .all('/faucet', onlyMethods('POST'))
  .post('/solvency', post(parsed(SolvencyBody, countDebts)))
  .all('/solvency', onlyMethods('POST'))
  .post('/close-day', post(closeDay))
  .all('/close-day', onlyMethods('POST'))
  .get('/players', (c) => answer({ ok: true, players: PLAYERS, logKey: logKeyOf(c.env) }))
  .all('/players', onlyMethods('GET'))
  .get('/operators', () => answer({ ok: true, operators: OPERATORS }))
  .all('/operators', onlyMethods('GET'))

function logKeyOf(env: Env): string | null {
  const { log } = loadConfig(env)
  return log ? writeVerifierKey(log.key.verifier) : null
}

/** Credits chips that no vault backs. */
async function faucet({ env, input }: ApiCall<z.infer<typeof FaucetBody>>): Promise<object> {
  const { wallet, token, amountWei, id = crypto.randomUUID() } = input
  const me = await retried(async () => ledger(env, wallet).faucet(id, token, amountWei))
  return isRefusal(me) ? me : { ok: true, me }
}

/** Counts all debts now instead of at the next hour, with the current chips of a wallet. */
async function countDebts({ env, input }: ApiCall<z.infer<typeof SolvencyBody>>): Promise<object> {
  const { wallet } = input
  if (wallet !== undefined) await retried(async () => ledger(env, wallet).sendPosition())
  const statement = await retried(async () => solvency(env).publish())
  return isRefusal(statement) ? statement : { ok: true, ...statement }
}

/** Exports the current day up to now, so that there is something to audit before midnight. */
async function closeDay({ env }: ApiCall): Promise<object> {
  return { ok: true, day: await retried(async () => exporter(env).closeDay()) }
}
