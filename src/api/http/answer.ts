import { logFault } from '../../log.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { ConfigError } from '../../config/load.ts'
import { STATUS } from './errors.ts'

/**
 * A JSON answer, or one without a body. Every answer of the API is made here, so every one carries the
 * same headers.
 */
export function answerText(
  json: string | null,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(json, {
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

/** How long a caller over a limit is asked to wait. */
const RETRY_AFTER_SECONDS = '1'

/** A refusal with its status. */
export function answerRefusal(refusal: Refusal, headers: Record<string, string> = {}): Response {
  const { code } = refusal.error
  const wait = code === 'rate_limited' ? { 'retry-after': RETRY_AFTER_SECONDS } : {}
  return answerText(JSON.stringify(refusal), STATUS[code], { ...wait, ...headers })
}

/** A fault: what happened goes to the log, under the request id that the caller gets. */
export function answerFault(fault: unknown): Response {
  const response = answerRefusal(
    fault instanceof ConfigError
      ? refuse(
          'not_configured',
          'The service is not set up correctly; its operator has to look at the log.',
        )
      : refuse(
          'internal',
          'Something went wrong on our side. Repeat the call: a bet with its roundId, a play with its nonce and a transaction with its id are never done twice.',
        ),
  )
  logFault('a request failed', fault, { requestId: response.headers.get('x-request-id') })
  return response
}
