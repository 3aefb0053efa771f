import { Hono } from 'hono'
import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { daybook, treasury } from '../../calls/objects.ts'
import { loadConfig } from '../../config/load.ts'
import { refuse } from '../../core/refusal.ts'
import { DAY_MS } from '../../core/utc-day.ts'
import { reportCsv, reportOf } from '../../daybook/report.ts'
import { answerText } from '../http/answer.ts'
import { get, limited, parsed, type ApiCall } from '../http/call.ts'
import { onlyMethods } from '../http/methods.ts'
import { watched } from './guard.ts'
import { BooksQuery } from './schema.ts'
import { shownReconciliation, texts } from './shown.ts'

/** The house's money, for operators and the reader of the metrics. */
export const moneyRoutes = new Hono<{ Bindings: Env }>()
  .get('/reconciliation', get(limited('READS', watched(readReconciliation))))
  .all('/reconciliation', onlyMethods('GET'))
  .get('/books', get(limited('READS', watched(parsed(BooksQuery, readBooks)))))
  .all('/books', onlyMethods('GET'))

/** Days of one answer. */
const MAX_DAYS = 366

/** Answers with the newest comparison of the vault with the ledgers, and the drifts that were found. */
async function readReconciliation({ env }: ApiCall<unknown>): Promise<object> {
  const { vault } = loadConfig(env)
  if (!vault) {
    return refuse(
      'not_configured',
      'This service has no vault to compare with the ledgers. Configure VAULT_ADDRESS.',
    )
  }
  const found = await retried(async () => treasury(env, vault.id).reconciliation())
  return { ok: true, reconciliation: found && shownReconciliation(found) }
}

/** Answers with the books of a range of days: the count of each, its report, and the lines that it follows from. */
async function readBooks({
  env,
  input: { from, to, format },
}: Omit<ApiCall, 'input'> & { input: z.infer<typeof BooksQuery> }): Promise<object> {
  if (to < from || Date.parse(to) - Date.parse(from) >= MAX_DAYS * DAY_MS) {
    return refuse(
      'invalid_request',
      `Ask for one to ${MAX_DAYS} days, with \`from\` no later than \`to\`.`,
    )
  }
  const days = await retried(async () => daybook(env).read(from, to))
  const rows = days.flatMap(({ day, lines }) => reportOf(day, lines))
  if (format === 'csv') {
    return answerText(reportCsv(rows), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="books-${from}-${to}.csv"`,
    })
  }
  return {
    ok: true,
    days: days.map(({ day, countedAt, isClosed, wallets, entries, problems }) => ({
      day,
      countedAt,
      isClosed,
      wallets,
      entries,
      problems,
    })),
    rows: rows.map(texts),
    lines: days.flatMap(({ day, lines }) => lines.map((line) => ({ day, ...texts(line) }))),
  }
}
