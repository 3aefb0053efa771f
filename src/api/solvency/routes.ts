import { Hono } from 'hono'
import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { solvency } from '../../calls/objects.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import { authenticate } from '../auth/authenticate.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { get, limited, parsed, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { checkRateLimit } from '../http/rate-limits.ts'
import { SolvencyQuery } from './schema.ts'

export const solvencyRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', parsed(SolvencyQuery, readSolvency))))
  .all('/', onlyMethods('GET'))

/** The newest count, which is the same for all who don't sign in. */
const statements = new BriefCache<object>(1_000)

/** Answers with the newest count of all debts and, to a signed-in player, where their chips are in it. */
async function readSolvency(call: ApiCall<z.infer<typeof SolvencyQuery>>): Promise<object> {
  const { env, input } = call
  if (!loadConfig(env).vault) {
    return refuse('not_configured', 'This service has no vault to compare its debts with.')
  }
  if (input.wallet === undefined && input.authSig === undefined) {
    return statements.get('', () => newest(env, null))
  }
  const caller = await authenticate(call, input)
  if (isRefusal(caller)) return caller
  return (await checkRateLimit(env.READS, caller.wallet)) ?? newest(env, caller.wallet)
}

async function newest(env: Env, wallet: string | null): Promise<object> {
  const read = () => retried(async () => solvency(env).read(wallet))
  let found = await read()
  if (!found && loadConfig(env).environment === 'local') {
    // In local play, the first hourly count may not have run yet.
    await retried(async () => solvency(env).publish())
    found = await read()
  }
  if (!found) {
    return refuse('not_found', 'The debts have not been counted yet. Try again within an hour.')
  }
  const { statement, proof } = found
  return wallet === null ? { ok: true, ...statement } : { ok: true, ...statement, proof }
}
