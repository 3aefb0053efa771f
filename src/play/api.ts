import type { ErrorCode, RefusalDetails } from '../core/refusal.ts'

/** Why something failed. `unreachable`: no answer arrived; `wallet`: the wallet or the player's input. */
export interface Problem {
  code: ErrorCode | 'unreachable' | 'wallet'
  message: string
  details?: RefusalDetails
}

/** A refusal or fault as a value. */
export interface Failure {
  ok: false
  error: Problem
}

export function fail(code: Problem['code'], message: string, details?: RefusalDetails): Failure {
  return { ok: false, error: { code, message, ...(details && { details }) } }
}

/** Returns what the player should correct before anything is sent. */
export function wrong(message: string): Problem {
  return fail('wallet', message).error
}

export function isFailure(answer: object): answer is Failure {
  return 'ok' in answer && answer.ok === false
}

const TIMEOUT_MS = 10_000

export function get<T extends object>(
  path: string,
  query: Record<string, string> = {},
): Promise<T | Failure> {
  const search = new URLSearchParams(query).toString()
  return call(search ? `${path}?${search}` : path)
}

export function post<T extends object>(path: string, body: object): Promise<T | Failure> {
  const headers = { 'content-type': 'application/json' }
  return call(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Repeats a call once if no answer arrived. Only for calls that are safe to repeat. */
export async function repeated<T extends object>(
  send: () => Promise<T | Failure>,
): Promise<T | Failure> {
  const answer = await send()
  return isFailure(answer) && answer.error.code === 'unreachable' ? send() : answer
}

async function call<T extends object>(path: string, init: RequestInit = {}): Promise<T | Failure> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    return (await response.json()) as T | Failure
  } catch {
    return fail('unreachable', 'The service did not answer. Check your connection and try again.')
  }
}
