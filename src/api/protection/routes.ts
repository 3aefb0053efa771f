import { Hono } from 'hono'
import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { isRefusal } from '../../core/refusal.ts'
import { NO_LIMIT, type LimitScope } from '../../protection/limit.ts'
import type { ProtectionChange } from '../../protection/protection.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { get, parsed, postByAction, type Handler } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitFreeEntries } from '../http/rate-limits.ts'
import { ConfirmBody, ExcludeBody, RealityCheckBody, RemoveBody, SetBody } from './schema.ts'

export const limitRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(signed('READS', readLimits)))
  .post(
    '/',
    postByAction({
      set: change(SetBody, (limit) => {
        const most =
          limit.kind === 'session'
            ? { ...NO_LIMIT, minutes: limit.minutes }
            : { ...NO_LIMIT, amountWei: limit.amountWei.toString() }
        return { action: 'set', counted: countedBy(limit), most }
      }),
      confirm: change(ConfirmBody, (key) => ({ action: 'confirm', counted: countedBy(key) })),
      remove: change(RemoveBody, (key) =>
        key.kind === 'exclusion'
          ? { action: 'readmit' }
          : { action: 'remove', counted: countedBy(key) },
      ),
      exclude: change(ExcludeBody, ({ days }) => ({ action: 'exclude', days })),
      'reality-check': change(RealityCheckBody, ({ minutes }) => ({
        action: 'reality-check',
        minutes,
      })),
    }),
  )
  .all('/', onlyMethods('GET, POST'))

/** Answers with the caller's limits and exclusion, and how much of the limits is used. */
async function readLimits({ env, wallet }: SignedCall<unknown>): Promise<object> {
  const shown = await retried(async () => ledger(env, wallet).limits())
  return isRefusal(shown) ? shown : { ok: true, ...shown }
}

/** Builds a handler that changes the caller's protection and answers all of it. */
function change<T>(schema: z.ZodType<T>, changeOf: (input: T) => ProtectionChange): Handler {
  return signed(
    'MONEY_CALLS',
    parsed(schema, async ({ env, request, wallet, input }) => {
      const tooMany = await limitFreeEntries(env, request, wallet)
      if (tooMany) return tooMany
      const asked = changeOf(input)
      const shown = await retried(async () => ledger(env, wallet).changeLimits(asked))
      return isRefusal(shown) ? shown : { ok: true, ...shown }
    }),
  )
}

type Key = Pick<LimitScope, 'window'> &
  ({ kind: 'session' } | ({ kind: 'loss' | 'wager' | 'deposit' } & Pick<LimitScope, 'token'>))

function countedBy(key: Key): LimitScope {
  const { kind, window } = key
  return { kind, window, token: key.kind === 'session' ? null : key.token }
}
