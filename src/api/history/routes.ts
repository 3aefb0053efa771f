import { Hono } from 'hono'
import type { z } from 'zod'
import { activitiesCsv, NEXT_HEADER } from '../../activity/activity.ts'
import { retried } from '../../calls/call.ts'
import { ledger } from '../../calls/objects.ts'
import { isRefusal } from '../../core/refusal.ts'
import { signed, type SignedCall } from '../auth/signed.ts'
import { answerText } from '../http/answer.ts'
import { get, parsed } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { ActivityQuery } from './schema.ts'

const PAGE = 100

export const historyRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(signed('READS', parsed(ActivityQuery, readActivity))))
  .all('/', onlyMethods('GET'))

/** Answers a page of the operations that moved the caller's chips, newest first. */
async function readActivity({
  env,
  wallet,
  input,
}: SignedCall<z.infer<typeof ActivityQuery>>): Promise<object> {
  const { kind = null, before = null, limit = PAGE, format } = input
  const page = await retried(async () => ledger(env, wallet).activity({ kind, before, limit }))
  if (isRefusal(page)) return page
  if (format !== 'csv') return { ok: true, ...page }
  const more: Record<string, string> =
    page.next === null ? {} : { [NEXT_HEADER]: String(page.next) }
  return answerText(activitiesCsv(page.entries), 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="activity.csv"',
    ...more,
  })
}
