import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { app } from '../../src/app.ts'
import type { Answer } from './support.ts'

export const CHAIN_ID = 31_337

/** Three upstreams of one chain, whose URLs carry keys. */
export const [ONE, TWO, THREE] = [
  'https://one.test/v2/secret-key-1',
  'https://two.test/v2/secret-key-2',
  'https://three.test/v2/secret-key-3',
] as const

/** The calls received by an upstream. */
export interface Asked {
  url: string
  method: string
  params: unknown[]
}

/** Answers a call with a result or a complete response. */
export type Upstream = (asked: Asked) => unknown

/** Stubs the upstreams by URL, each on the right chain unless it says otherwise. */
export function playUpstreams(upstreams: Record<string, Upstream>): Asked[] {
  const calls: Asked[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const made = new Request(input, init) // what the real fetch does first
    const { id, method, params } = await made.json<{
      id: unknown
      method: string
      params: unknown[]
    }>()
    const asked = { url: made.url, method, params }
    calls.push(asked)
    const answer = await upstreams[made.url]?.(asked)
    if (answer instanceof Response) return answer
    const isChainCheck = answer === undefined && method === 'eth_chainId'
    const result = isChainCheck ? `0x${CHAIN_ID.toString(16)}` : (answer ?? null)
    return Response.json({ jsonrpc: '2.0', id, result })
  })
  return calls
}

/** Answers one method, and all others with an upstream's defaults. */
export const answering =
  (method: string, answer: Upstream): Upstream =>
  (asked) =>
    asked.method === method ? answer(asked) : undefined

/** A response with a JSON-RPC error. */
export function failing(error: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id: 1, error })
}

interface Options {
  vars?: object
  query?: string
  headers?: Record<string, string>
}

/** Sends a body to a service with the three upstreams, or with the given variables. */
export async function send(body: unknown, options: Options = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return request({ method: 'POST', body: text }, options)
}

let clients = 0

/** Each request comes from its own address, unless it says otherwise. */
export async function request(init: RequestInit, options: Options = {}): Promise<Answer> {
  const { vars = {}, query = '', headers = {} } = options
  const configured = { ...env, RPC_UPSTREAMS: { [CHAIN_ID]: [ONE, TWO, THREE] }, ...vars }
  const url = `http://fairhouse.test/api/rpc${query}`
  const client = `198.51.100.${clients++}`
  const all = { 'content-type': 'application/json', 'cf-connecting-ip': client, ...headers }
  const response = await app.request(url, { ...init, headers: all }, configured)
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? JSON.parse(text) : null,
    receipt: null,
  }
}

/** A JSON-RPC call. */
export function rpc(method: string, params: unknown[] = [], id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params }
}
