import { ConfigError } from '../../config/load.ts'
import { refuse, STATUS, type Refusal } from '../../core/refusal.ts'
import { logFault } from '../../log.ts'

/** The `cache-control` header of an answer that never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/**
 * Builds an answer, JSON unless its headers say otherwise. All answers of the API are built here, so that they have
 * the same headers.
 */
export function answerText(
  body: BodyInit | null,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': crypto.randomUUID(),
      ...headers,
    },
  })
}

export function answer(body: object, status = 200): Response {
  return answerText(JSON.stringify(body), status)
}

/** How long a rate-limited caller should wait, unless the refusal says. */
const RETRY_AFTER_SECONDS = 1

/** The status of a refusal whose code this version doesn't know: a newer version's object refused. */
const NEWER_VERSION = 503

/** Builds the answer to a refusal, with its status. */
export function answerRefusal(refusal: Refusal, headers: Record<string, string> = {}): Response {
  const { code, details } = refusal.error
  const stated = details && 'retryAfterSeconds' in details ? details['retryAfterSeconds'] : null
  const seconds = String(stated ?? RETRY_AFTER_SECONDS)
  const wait = code === 'rate_limited' ? { 'retry-after': seconds } : {}
  const status = Object.hasOwn(STATUS, code) ? STATUS[code] : NEWER_VERSION
  return answerText(JSON.stringify(refusal), status, { ...wait, ...headers })
}

const MISCONFIGURED = refuse(
  'not_configured',
  'The service is misconfigured. Its operator can find the reason in the log.',
)
const ONLY_ONCE =
  'a bet with a roundId, a play with a nonce and a transaction with an id are never carried out twice.'
const BUSY = refuse(
  'rate_limited',
  `Too many calls arrived at once. Repeat the call in a moment: ${ONLY_ONCE}`,
)
const INTERNAL = refuse(
  'internal',
  `Something went wrong on our side. Repeat the call: ${ONLY_ONCE}`,
)

/** Builds the answer to a fault, and logs the fault under the request id in the answer. */
export function answerFault(fault: unknown): Response {
  const response = answerRefusal(refusalOf(fault))
  logFault('request_failed', fault, { requestId: response.headers.get('x-request-id') })
  return response
}

function refusalOf(fault: unknown): Refusal {
  if (fault instanceof ConfigError) return MISCONFIGURED
  // The platform rejects calls to an object that has too many waiting.
  const isOverloaded = fault instanceof Error && 'overloaded' in fault && fault.overloaded === true
  return isOverloaded ? BUSY : INTERNAL
}
