import { readText } from '../../core/read-text.ts'
import { nodeRequest } from '../../rpc-proxy/node-request.ts'
import { CODE } from '../../rpc-proxy/protocol.ts'
import { isRpcError, redact, type RpcError } from '../../rpc-proxy/rpc-error.ts'
import type { Allowance } from './allowance.ts'

/** Why an upstream didn't answer. */
export type Failure =
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'too_large'
  | 'exhausted'
  | 'malformed'
  | 'limited'
  | 'wrong_chain'

export type UpstreamAnswer = { result: unknown } | { error: RpcError } | { failure: Failure }

/** The limit on a result's text, and on the rest of its answer. */
const MAX_RESULT_BYTES = 5 * 1_048_576
const ENVELOPE_BYTES = 1_024

/** An upstream's codes for its own limits (EIP-1474's, and HTTP's as a code); ask another one then. */
const LIMIT_CODES: readonly number[] = [CODE.limited, 429]

/** Some nodes use the same code for a log query that is too broad, which would be refused elsewhere too. */
const TOO_BROAD = /\b(results|range)\b/i

/** Each call is its own request, so one id is enough. */
const ID = 1

/**
 * Makes one call to one upstream. Passes on only a result, or an error's code, message and data, without
 * URLs.
 * @param paramsJson the parameters as JSON text
 * @param signal aborts the call at any point, including while its answer is read
 */
export async function askUpstream(
  url: string,
  { method, paramsJson }: { method: string; paramsJson: string },
  { signal, allowance }: { signal: AbortSignal; allowance: Allowance },
): Promise<UpstreamAnswer> {
  try {
    const body = `{"jsonrpc":"2.0","id":${ID},"method":${JSON.stringify(method)},"params":${paramsJson}}`
    const response = await fetch(...nodeRequest(url, body, signal))
    // Some nodes send errors with status 400; any other status says nothing about the call.
    if ((!response.ok && response.status !== 400) || !response.body) {
      await response.body?.cancel()
      return { failure: 'status' }
    }
    let bytes = 0
    const text = await readText(response.body, signal, (more) => {
      bytes += more
      const isAllowed = allowance.spend(more) && !allowance.isExhausted()
      return isAllowed && bytes <= MAX_RESULT_BYTES + ENVELOPE_BYTES
    })
    if (text === null) return { failure: allowance.isExhausted() ? 'exhausted' : 'too_large' }
    const answer = readAnswer(JSON.parse(text), method, url)
    return response.ok || 'error' in answer ? answer : { failure: 'status' }
  } catch (fault) {
    if (signal.aborted) return { failure: 'timeout' }
    return { failure: fault instanceof SyntaxError ? 'malformed' : 'unreachable' }
  }
}

function readAnswer(answer: unknown, method: string, url: string): UpstreamAnswer {
  if (typeof answer !== 'object' || answer === null) return { failure: 'malformed' }
  const { jsonrpc, id, result, error } = answer as Record<string, unknown>
  if (isRpcError(error)) {
    if (isOwnLimit(error, method)) return { failure: 'limited' }
    if (jsonrpc === '2.0' && id === ID) return { error: redact(error, url) }
  }
  const isResult = jsonrpc === '2.0' && id === ID && result !== undefined && error === undefined
  return isResult ? { result } : { failure: 'malformed' }
}

function isOwnLimit({ code, message }: RpcError, method: string): boolean {
  const isTooBroad = method === 'eth_getLogs' && TOO_BROAD.test(message)
  return LIMIT_CODES.includes(code) && !isTooBroad
}
