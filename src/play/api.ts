import type { ErrorCode, RefusalDetails } from '../core/refusal.ts'
import { FUN_WALLET } from './fun/fun.ts'

/**
 * Why something failed. `unreachable`: no answer arrived; `wallet`: the wallet or the player's input; `unverified`: the
 * answer contradicts the page's display or request.
 */
export interface Problem {
  code: ErrorCode | 'unreachable' | 'wallet' | 'unverified'
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

/** Returns a problem that the player should correct before anything is sent. */
export function wrong(message: string): Problem {
  return fail('wallet', message).error
}

export function isFailure(answer: object): answer is Failure {
  return 'ok' in answer && answer.ok === false
}

/** Returns the value under this name in a problem's details; null without one. */
export function detailOf({ details }: Problem, name: string): string | number | null {
  return (details && !Array.isArray(details) && details[name]) || null
}

/** A free spin must be taken within this time of its call: see src/verify/opening.ts. */
const TIMEOUT_MS = 10_000

export function get<T extends object>(
  path: string,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
  timeoutMs = TIMEOUT_MS,
): Promise<T | Failure> {
  if (query['wallet'] === FUN_WALLET) return askForFun('GET', path, query)
  const search = new URLSearchParams(query).toString()
  return call(search ? `${path}?${search}` : path, { headers }, timeoutMs)
}

export function post<T extends object>(path: string, body: object): Promise<T | Failure> {
  if ('wallet' in body && body.wallet === FUN_WALLET) return askForFun('POST', path, body)
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

type Answering = (method: 'GET' | 'POST', path: string, asked: object) => Promise<object>

let answerHere: Answering | null = null

/** Sets the function that answers calls about fun chips in this browser, so that none of them is ever sent. */
export function answerFunWith(answering: Answering): void {
  answerHere = answering
}

async function askForFun<T extends object>(...asked: Parameters<Answering>): Promise<T | Failure> {
  const answer = await answerHere?.(...asked)
  return (answer as T | undefined) ?? fail('wallet', 'Fun chips are not available here.')
}

async function call<T extends object>(
  path: string,
  init: RequestInit,
  timeoutMs = TIMEOUT_MS,
): Promise<T | Failure> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    return (await response.json()) as T | Failure
  } catch {
    return fail('unreachable', 'The service did not answer. Check your connection and try again.')
  }
}
