import { Hono } from 'hono'
import type { z } from 'zod'
import { retried } from '../../calls/call.ts'
import { exporter } from '../../calls/objects.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { isFileName, objectKey } from '../../exports/manifest.ts'
import { IMMUTABLE } from '../http/answer.ts'
import { BriefCache } from '../http/brief-cache.ts'
import { get, limited, parsed, type ApiCall } from '../http/call.ts'
import { answeredOnce } from '../http/edge-cache.ts'
import { onlyMethods } from '../http/methods.ts'
import { limitNetwork } from '../http/rate-limits.ts'
import { ExportsQuery } from './schema.ts'

/** The most days in an answer: almost three years. */
const MAX_DAYS = 1_000

/** The list of closed days. */
export const exportListRoutes = new Hono<{ Bindings: Env }>()
  .get('/', get(limited('READS', parsed(ExportsQuery, listDays))))
  .all('/', onlyMethods('GET'))

/** The files of closed days. They never change. */
export const exportFileRoutes = new Hono<{ Bindings: Env }>()
  .get('/v1/:folder/:file', get(limited('READS', readExport)))
  .all('/v1/:folder/:file', onlyMethods('GET'))

const newestDays = new BriefCache<object>(1_000)

async function listDays(call: ApiCall<z.infer<typeof ExportsQuery>>): Promise<object> {
  const { env, request, input } = call
  const { before = null } = input
  const read = async () => ({
    ok: true,
    days: await retried(async () => exporter(env).days(MAX_DAYS, before)),
  })
  return before === null
    ? newestDays.get('', read)
    : ((await limitNetwork(env, request, 'exports')) ?? read())
}

/** The headers that ask for less than a whole file. */
const ASKS_LESS = ['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']

/** Answers a file, or the part of it that the request asks for. The cache has whole files. */
async function readExport(call: ApiCall<unknown>): Promise<Response | Refusal> {
  const { env, request } = call
  const name = new URL(request.url).pathname.split('/').slice(-2).join('/')
  const read = () => answerFile(env, name, request.headers)
  const isWhole = ASKS_LESS.every((header) => !request.headers.has(header))
  return isWhole ? answeredOnce(call, 'v1', read) : read()
}

async function answerFile(env: Env, name: string, asked: Headers): Promise<Response | Refusal> {
  const file = isFileName(name) ? await readFile(env, objectKey(name), asked) : null
  if (!file) return NO_FILE
  const headers = new Headers()
  file.writeHttpMetadata(headers)
  headers.set('etag', file.httpEtag)
  headers.set('cache-control', IMMUTABLE)
  headers.set('accept-ranges', 'bytes')
  headers.set('x-content-type-options', 'nosniff')
  headers.set('access-control-allow-origin', '*')
  headers.set('x-request-id', crypto.randomUUID())
  if (!hasBody(file)) return notGiven(asked, headers)
  const part = asked.has('range') ? partOf(file) : null
  if (part) headers.set('content-range', part)
  else headers.set('content-length', String(file.size))
  return new Response(file.body, { status: part ? 206 : 200, headers })
}

/**
 * Reads a file. A range that the file does not have is ignored, which RFC 9110 (14.2) permits. So are conditions that
 * R2 can't parse: its fault doesn't say which header is to blame.
 */
async function readFile(env: Env, key: string, asked: Headers) {
  const onlyIf = withoutBadDates(asked)
  const whole = () => env.EXPORTS.get(key, { onlyIf })
  const read = asked.has('range')
    ? env.EXPORTS.get(key, { onlyIf, range: asked }).catch(whole)
    : whole()
  return read.catch(() => env.EXPORTS.get(key))
}

/** Drops invalid dates, as RFC 9110 (13.1.3 and 13.1.4) demands. R2 takes them for failed conditions. */
function withoutBadDates(asked: Headers): Headers {
  const headers = new Headers(asked)
  for (const name of ['if-modified-since', 'if-unmodified-since']) {
    if (Number.isNaN(Date.parse(headers.get(name) ?? ''))) headers.delete(name)
  }
  return headers
}

function hasBody(file: R2Object | R2ObjectBody): file is R2ObjectBody {
  return 'body' in file
}

const NO_FILE = refuse(
  'not_found',
  'No export has this file. GET /api/history/exports lists the days that are exported.',
)

/** A condition failed: the caller has the file already, or wanted another version of it. */
function notGiven(asked: Headers, headers: Headers): Response {
  const isOther = asked.has('if-match') || asked.has('if-unmodified-since')
  // Otherwise a cache could answer others with the refusal.
  if (isOther) headers.set('cache-control', 'no-store')
  return new Response(null, { status: isOther ? 412 : 304, headers })
}

/** Returns the content-range of a part of a file; null for a whole file. */
function partOf({ range, size }: R2ObjectBody): string | null {
  const { offset, length, suffix }: { offset?: number; length?: number; suffix?: number } =
    range ?? {}
  const from = suffix === undefined ? (offset ?? 0) : Math.max(0, size - suffix)
  const count = suffix === undefined ? (length ?? size - from) : size - from
  return count === size ? null : `bytes ${from}-${from + count - 1}/${size}`
}
