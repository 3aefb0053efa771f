import { isJsonObject, JsonNumber, parseJson } from '../core/json.ts'
import { rpcError, type RpcCall, type Id } from './protocol.ts'
import type { RpcError } from './rpc-error.ts'

export const MAX_BATCH = 20

/** Beyond the depth of any parameter of an allowed method: an access list's keys are five deep. */
const MAX_DEPTH = 8

/** One call in a body, or its error. A call without an id is a notification and gets no answer. */
export interface Entry {
  id: Id | undefined
  asked: RpcCall | { error: RpcError }
}

export interface RpcBody {
  entries: Entry[]
  isBatch: boolean
}

/** Parses a body with one call or a batch. An error in a single call is returned in its entry. */
export function readBody(text: string): RpcBody | { error: RpcError } {
  const body = parseJson(text)
  if (body === undefined) {
    return rpcError('parse', 'The body must be JSON without duplicate keys or broken Unicode.')
  }
  if (!Array.isArray(body)) return { entries: [readEntry(body)], isBatch: false }
  if (body.length === 0) return rpcError('invalidRequest', 'A batch needs at least one call.')
  if (body.length > MAX_BATCH) {
    return rpcError('invalidRequest', `The batch is too large. Send at most ${MAX_BATCH} calls.`)
  }
  return { entries: body.map(readEntry), isBatch: true }
}

function readEntry(value: unknown): Entry {
  if (!isJsonObject(value)) return notACall(null, 'A call must be an object.')
  const { jsonrpc, id, method, params } = value
  if (id !== undefined && !isId(id)) {
    return notACall(null, 'id must be a string, a number or null.')
  }
  if (jsonrpc !== '2.0') return notACall(id, 'jsonrpc must be "2.0".')
  if (typeof method !== 'string') return notACall(id, 'method must be a string.')
  return { id, asked: readCall(method, params) }
}

/** Returns an entry for an invalid call, which is always answered, even without an id. */
function notACall(id: Id | undefined, message: string): Entry {
  return { id: id ?? null, asked: rpcError('invalidRequest', message) }
}

/** Reads a call as nodes do: parameters have no names, and null means none. */
function readCall(method: string, params: unknown): Entry['asked'] {
  if (params === undefined || params === null) return { method, params: [] }
  if (!Array.isArray(params)) return rpcError('invalidParams', 'params must be a list.')
  if (!isShallow(params, MAX_DEPTH)) {
    return rpcError('invalidParams', `params may be nested at most ${MAX_DEPTH} levels deep.`)
  }
  return { method, params }
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || value instanceof JsonNumber
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}
