import { setTimeout as sleep } from 'node:timers/promises'

export interface Request {
  method: string
  /** Includes the query. */
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request and its raw answer, under a name that is unique in its recording. */
export interface Exchange {
  name: string
  request: Request
  answer: Answer
}

/** Everything a service answered, in order. */
export interface Recording {
  /** Unix milliseconds. Days are compared by their distance from this one. */
  startedAt: number
  /** Names for addresses that change from run to run: contracts, and hosts with their ports. */
  names: Record<string, string>
  exchanges: Exchange[]
  /** Why stories ended early. */
  faults: string[]
}

const PATIENCE_MS = 180_000
const POLL_MS = 100

export function get(path: string, query: Record<string, string> = {}): Request {
  const search = new URLSearchParams(query).toString()
  return { method: 'GET', path: search === '' ? path : `${path}?${search}` }
}

/** @param body an object to send as JSON, or text to send unchanged */
export function post(
  path: string,
  body: object | string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'POST', path, headers, body: text }
}

/** Sends requests to one service and keeps its answers. */
export class Recorder {
  readonly exchanges: Exchange[] = []
  readonly #baseUrl: string
  #story = ''

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  get baseUrl(): string {
    return this.#baseUrl
  }

  begin(story: string): void {
    this.#story = story
  }

  /** Sends a request without keeping the exchange. */
  async send(request: Request): Promise<Answer> {
    const { method, path, headers = {}, body } = request
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { 'accept-encoding': 'identity', ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  }

  keep(name: string, request: Request, answer: Answer): void {
    const fullName = `${this.#story}: ${name}`
    if (this.exchanges.some((other) => other.name === fullName)) {
      throw new Error(`Two exchanges are named "${fullName}".`)
    }
    this.exchanges.push({ name: fullName, request, answer })
  }

  /** Sends a request and keeps the exchange. Returns the parsed answer, or null if it isn't JSON. */
  async ask<T = unknown>(name: string, request: Request): Promise<T> {
    const answer = await this.send(request)
    this.keep(name, request, answer)
    return read<T>(answer)
  }

  /** Repeats a request until `isAwaited` accepts the answer, and keeps only that exchange. */
  async until<T>(
    name: string,
    request: Request,
    isAwaited: (body: T, status: number) => boolean,
  ): Promise<T> {
    const answer = await this.#awaited(name, request, isAwaited)
    this.keep(name, request, answer)
    return read<T>(answer)
  }

  /** Repeats a request until `isAwaited` accepts the answer, and keeps nothing. */
  async wait<T>(request: Request, isAwaited: (body: T, status: number) => boolean): Promise<T> {
    return read<T>(await this.#awaited(request.path, request, isAwaited))
  }

  async #awaited<T>(
    name: string,
    request: Request,
    isAwaited: (body: T, status: number) => boolean,
  ): Promise<Answer> {
    const until = Date.now() + PATIENCE_MS
    for (;;) {
      const answer = await this.send(request)
      if (isAwaited(read<T>(answer), answer.status)) return answer
      if (Date.now() > until) {
        throw new Error(`"${name}" never got the expected answer. The last one: ${answer.body}`)
      }
      await sleep(POLL_MS)
    }
  }
}

export function read<T>({ body }: Answer): T {
  try {
    return JSON.parse(body) as T
  } catch {
    return null as T
  }
}
