import { Hono } from 'hono'
import { loadConfig } from '../../config/load.ts'
import { logFault } from '../../log.ts'
import { rpcError, writeAnswer, type Outcome } from '../../rpc-proxy/protocol.ts'
import { readBody, type Entry, type RpcBody } from '../../rpc-proxy/request.ts'
import { answerText } from '../http/answer.ts'
import { limitedBody, MAX_BODY_BYTES, unlessBrokenOff } from '../http/body.ts'
import { onlyMethods } from '../http/methods.ts'
import { clientNetwork, checkRateLimit } from '../http/rate-limits.ts'
import { MAX_TOTAL_BYTES } from './allowance.ts'
import { answerCall, chainFor } from './answers.ts'
import { EXHAUSTED } from './chain-reader.ts'
import { corsHeaders, PREFLIGHT_HEADERS } from './cors.ts'
import { inLanes } from './lanes.ts'
import { inPieces } from './pieces.ts'

/** The platform opens six connections per request; more calls would wait while their timeouts run. */
const LANES = 6

/**
 * JSON-RPC 2.0 for pages. All JSON-RPC answers have status 200, including refusals and faults. The
 * content type isn't checked, because there are no cookies for another site's page to abuse.
 */
export const rpcRoutes = new Hono<{ Bindings: Env }>()
  .use('/', async (c, next) => {
    await next()
    const { origin: siteOrigin, rpc } = loadConfig(c.env)
    const cors = corsHeaders(c.req.header('origin') ?? null, { origins: rpc.origins, siteOrigin })
    for (const [name, value] of Object.entries(cors)) c.header(name, value)
  })
  .options('/', () => answerText(null, 204, PREFLIGHT_HEADERS))
  .post(
    '/',
    limitedBody({
      tooLarge: () => refuseBody(tooLarge),
      incomplete: () => refuseBody(incomplete),
    }),
  )
  .post('/', async (c) => {
    const text = await unlessBrokenOff(c.req.text())
    const body = text === null ? incomplete : readBody(text)
    if ('error' in body) {
      const limited = await checkRateLimit(c.env.RPC_CALLS, clientNetwork(c.req.raw))
      return refuseBody(limited ? tooMany : body)
    }
    const granted = await grant(c.env.RPC_CALLS, clientNetwork(c.req.raw), body.entries.length)
    const chain = chainFor(loadConfig(c.env), c.req.query('chain'))
    if ('error' in chain) {
      return answerText(writeBody(body, await answerAll(body.entries, chain, granted), () => true))
    }
    const { reader } = chain
    try {
      const outcomes = await answerAll(body.entries, chain, granted)
      const answers = writeBody(body, outcomes, (chars) => reader.hold(chars))
      return answerText(inPieces(answers, reader.msLeft, () => reader.release()))
    } catch (fault) {
      reader.release()
      throw fault
    }
  })
  .all('/', onlyMethods('POST, OPTIONS'))
  .onError((fault) => {
    const response = refuseBody(
      rpcError('internal', 'Something went wrong on our side. Try again.'),
    )
    logFault('rpc_call_failed', fault, { requestId: response.headers.get('x-request-id') })
    return response
  })

const tooMany = rpcError('limited', 'Too many calls. Wait a second and try again.')

const tooLarge = rpcError(
  'invalidRequest',
  `The body is too large. Send at most ${MAX_BODY_BYTES} bytes.`,
)

const incomplete = rpcError('parse', 'The request body is incomplete. Send the request again.')

const batchTooLarge = rpcError('internal', 'The result of the batch is too large. Split the batch.')

/** Builds the answer to an unreadable body, without an id. */
function refuseBody(refused: ReturnType<typeof rpcError>): Response {
  return answerText(writeAnswer(null, refused))
}

/** @param granted the number of calls that the rate limit allows */
function answerAll(
  entries: Entry[],
  chain: ReturnType<typeof chainFor>,
  granted: number,
): Promise<Outcome[]> {
  return inLanes(LANES, entries, async ({ asked }, index) => {
    if (index >= granted) return tooMany
    if ('error' in asked) return asked
    return 'error' in chain ? chain : answerCall(chain, asked)
  })
}

/** Counts each call against the limit, and returns the number allowed. */
async function grant(limiter: RateLimit, client: string, calls: number): Promise<number> {
  for (let granted = 0; granted < calls; granted++) {
    if (await checkRateLimit(limiter, client)) return granted
  }
  return calls
}

/**
 * Writes the answers in the order of the calls; empty if all calls were notifications, as nodes do. Equal
 * calls share a result, but each answer repeats it, so the limits apply to all answers together.
 * @param hold returns whether the isolate can hold this many characters of answers
 */
function writeBody(
  { entries, isBatch }: RpcBody,
  outcomes: Outcome[],
  hold: (chars: number) => boolean,
): string {
  let chars = 0
  const answers = entries.flatMap(({ id }, index) => {
    const outcome = outcomes[index]
    if (id === undefined || !outcome) return []
    const answer = writeAnswer(id, outcome)
    const more = chars + answer.length
    if (more > MAX_TOTAL_BYTES) return [writeAnswer(id, batchTooLarge)]
    if (!hold(more)) return [writeAnswer(id, EXHAUSTED)]
    chars = more
    return [answer]
  })
  return isBatch && answers.length > 0 ? `[${answers.join()}]` : answers.join()
}
