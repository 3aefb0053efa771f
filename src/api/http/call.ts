import type { Context } from 'hono'
import type { z } from 'zod'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { answer, answerRefusal } from './answer.ts'
import { readJsonObject, type JsonObject } from './body.ts'
import { clientAddress, checkRateLimit } from './rate-limits.ts'
import { validate } from './schema.ts'

/** A call to the API, as passed to its handler. */
export interface ApiCall<Input = JsonObject> {
  env: Env
  request: Request
  /** Keeps work running after the answer. */
  waitUntil: (work: Promise<unknown>) => void
  /** The query of a GET, the JSON body of a POST. */
  input: Input
}

/** Handles a call. Returns an object, a refusal or a complete response. */
export type Handler<C extends ApiCall<unknown> = ApiCall> = (call: C) => Promise<object>

/** The rate limits on a client's or a wallet's calls. */
export type Limit = 'READS' | 'MONEY_CALLS'
type ApiContext = Context<{ Bindings: Env }>

/** Answers a GET. */
export function get(handler: Handler<ApiCall<Record<string, string>>>) {
  return async (c: ApiContext) => respond(await handler(callOf(c, c.req.query())))
}

/** Answers a GET by the action in its query or, without one, with `handler`, which shows `subject`. */
export function getByAction(
  actions: Record<string, Handler<ApiCall<Record<string, string>>>>,
  handler: Handler<ApiCall<Record<string, string>>>,
  subject: string,
) {
  const known = `${Object.keys(actions).join(', ')}, or no action for the ${subject}.`
  return get(async (call) => {
    const { action } = call.input
    if (action === undefined) return handler(call)
    return choose(actions, action)?.(call) ?? unknownAction(known)
  })
}

/** Answers a POST of a JSON object. @param limit applies before its body is read */
export function post(handler: Handler, limit?: Limit) {
  return async (c: ApiContext) => {
    const tooMany = limit && (await checkRateLimit(c.env[limit], clientAddress(c.req.raw)))
    if (tooMany) return answerRefusal(tooMany)
    const read = await readJsonObject(c.req.raw)
    return respond(isRefusal(read) ? read : await handler(callOf(c, read.body)))
  }
}

/** Answers a POST by the action in its body. */
export function postByAction(actions: Record<string, Handler>) {
  return post(async (call) => {
    const { action } = call.input
    if (typeof action !== 'string') {
      const details = [{ path: 'action', message: 'must be a string' }]
      return refuse('invalid_request', 'The action is missing. Send action as a string.', details)
    }
    return choose(actions, action)?.(call) ?? unknownAction(`${Object.keys(actions).join(', ')}.`)
  })
}

function choose<T>(actions: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(actions, name) ? actions[name] : undefined
}

function unknownAction(known: string): Refusal {
  return refuse('unknown_action', `This action is not known. Send one of: ${known}`)
}

/** Counts a call against the client's address before handling it. */
export function limited<C extends ApiCall<unknown>>(limit: Limit, handler: Handler<C>): Handler<C> {
  return async (call) =>
    (await checkRateLimit(call.env[limit], clientAddress(call.request))) ?? handler(call)
}

/** Parses the input of a call before handling it. */
export function parsed<C extends ApiCall<unknown>, T>(
  schema: z.ZodType<T>,
  handler: (call: Omit<C, 'input'> & { input: T }) => Promise<object>,
): Handler<C> {
  return async (call) => {
    const read = validate(schema, call.input)
    return isRefusal(read) ? read : handler({ ...call, input: read.value })
  }
}

function callOf<Input>(c: ApiContext, input: Input): ApiCall<Input> {
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  return { env: c.env, request: c.req.raw, waitUntil, input }
}

function respond(result: object): Response {
  if (result instanceof Response) return result
  return isRefusal(result) ? answerRefusal(result) : answer(result)
}
