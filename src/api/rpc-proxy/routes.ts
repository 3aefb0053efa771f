import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { loadConfig } from '../../config/load.ts'
import { answerText } from '../http/answer.ts'
import { MAX_BODY_BYTES } from '../http/body.ts'
import { clientAddress, spend } from '../http/limits.ts'
import { onlyMethods } from '../http/methods.ts'
import { logFault } from '../../log.ts'
import { answerCall, chainFor } from './answers.ts'
import { MAX_TOTAL_BYTES } from './chain-reader.ts'
import { corsHeaders, PREFLIGHT_HEADERS } from './cors.ts'
import { inLanes } from './lanes.ts'
import { rpcError, writeAnswer, type Outcome } from '../../rpc-proxy/protocol.ts'
import { readBody, type Entry, type RpcBody } from '../../rpc-proxy/request.ts'

/** The platform keeps six connections open for a request; more would wait while their time runs. */
const LANES = 6

/**
 * JSON-RPC 2.0 for pages: its own answers have the status 200, refusals and faults included. The
 * content type is not looked at: there are no cookies that another site's page could ride on.
 */
export const rpcRoutes = new Hono<{ Bindings: Env }>()
  .use('/', async (c, next) => {
    await next()
    const { origin: siteOrigin, rpc } = loadConfig(c.env)
    const cors = corsHeaders(c.req.header('origin') ?? null, { origins: rpc.origins, siteOrigin })
    for (const [name, value] of Object.entries(cors)) c.header(name, value)
  })
  .options('/', () => answerText(null, 204, PREFLIGHT_HEADERS))
  .post('/', bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => refuseBody(tooLarge) }))
  .post('/', async (c) => {
    const body = readBody(await c.req.text())
    if ('error' in body) {
      const limited = await spend(c.env.RPC_CALLS, clientAddress(c.req.raw))
      return refuseBody(limited ? tooMany : body)
    }
    const chain = chainFor(loadConfig(c.env), c.req.query('chain'))
    const granted = await grant(c.env.RPC_CALLS, clientAddress(c.req.raw), body.entries.length)
    return answerText(writeBody(body, await answerAll(body.entries, chain, granted)))
  })
  .all('/', onlyMethods('POST, OPTIONS'))
  .onError((fault) => {
    const response = refuseBody(rpcError('internal', 'Something went wrong on our side.'))
    logFault('a call of a node failed', fault, { requestId: response.headers.get('x-request-id') })
    return response
  })

const tooMany = rpcError('limited', 'Too many calls; wait a second and try again.')

const tooLarge = rpcError('invalidRequest', `A body may have ${MAX_BODY_BYTES} bytes at most.`)

/** The answer to what cannot be told to be a call: nobody knows its id. */
function refuseBody(refused: ReturnType<typeof rpcError>): Response {
  return answerText(writeAnswer(null, refused))
}

/** @param granted how many of the calls the rate limit has let through */
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

/** How many of so many calls the limit lets through: each counts. */
async function grant(limiter: RateLimit, client: string, calls: number): Promise<number> {
  for (let granted = 0; granted < calls; granted++) {
    if (await spend(limiter, client)) return granted
  }
  return calls
}

/**
 * The answers in the order of the calls; nothing at all where all were notifications, as the nodes do.
 * Equal calls share a result, but each answer carries it: together they stay within the limit.
 */
function writeBody({ entries, isBatch }: RpcBody, outcomes: Outcome[]): string {
  let chars = 0
  const answers = entries.flatMap(({ id }, index) => {
    const outcome = outcomes[index]
    if (id === undefined || !outcome) return []
    const answer = writeAnswer(id, outcome)
    chars += answer.length
    if (chars <= MAX_TOTAL_BYTES) return [answer]
    chars -= answer.length
    return [writeAnswer(id, rpcError('internal', 'The batch has too large a result: split it.'))]
  })
  return isBatch && answers.length > 0 ? `[${answers.join()}]` : answers.join()
}
