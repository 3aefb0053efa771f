import { mergeJson, writeJson, type JsonNumber } from '../core/json.ts'
import type { RpcError } from './rpc-error.ts'

/** A caller's id for a call; a number keeps its source text. */
export type Id = string | JsonNumber | null

export interface RpcCall {
  method: string
  params: readonly unknown[]
}

/** A call's outcome: its result as JSON text, or an error. */
export type Outcome = { result: string } | { error: RpcError }

/** Error codes of JSON-RPC 2.0, and of EIP-1474 for limits. */
export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  limited: -32005,
  internal: -32603,
} as const

export function rpcError(kind: keyof typeof CODE, message: string): { error: RpcError } {
  return { error: { code: CODE[kind], message } }
}

export function writeAnswer(id: Id, outcome: Outcome): string {
  const body = 'error' in outcome ? JSON.stringify(outcome) : `{"result":${outcome.result}}`
  return mergeJson(writeJson({ jsonrpc: '2.0', id }), body)
}
