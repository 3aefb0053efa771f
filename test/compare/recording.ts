import { setTimeout as sleep } from 'node:timers/promises'

/** A request as it is sent. */
export interface Request {
  method: string
  /** With its query. */
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request and its answer, raw, under a name that no other exchange of a recording has. */
export interface Exchange {
  name: string
  request: Request
  answer: Answer
}

/** What a service answered to every story, in order. */
export interface Recording {
  /** When it began, in unix milliseconds: days are compared by their distance from it. */
  startedAt: number
  /** Names of what has another address in every recording: contracts, and hosts with their ports. */
  names: Record<string, string>
  exchanges: Exchange[]
  /** Stories that could not be told to their end, and why. */
  faults: string[]
}

const PATIENCE_MS = 180_000
const POLL_MS = 100

export function get(path: string, query: Record<string, string> = {}): Request {
  const search = new URLSearchParams(query).toString()
  return { method: 'GET', path: search === '' ? path : `${path}?${search}` }
}

/** @param body an object to send as JSON, or text to send as it is */
export function post(
  path: string,
  body: object | string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'POST', path, headers, body: text }
}

/** Sends requests to one service and keeps what it answers. */
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

  /** Sends a request without keeping it. */
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

  /** Sends a request and keeps the exchange. Returns the answer's JSON; null where it is none. */
  async ask<T = unknown>(name: string, request: Request): Promise<T> {
    const answer = await this.send(request)
    this.keep(name, request, answer)
    return read<T>(answer)
  }

  /** Repeats a request until its answer is the one that is waited for, and keeps only that one. */
  async until<T>(
    name: string,
    request: Request,
    isAwaited: (body: T, status: number) => boolean,
  ): Promise<T> {
    const answer = await this.#awaited(name, request, isAwaited)
    this.keep(name, request, answer)
    return read<T>(answer)
  }

  /** The same without keeping anything. */
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
        throw new Error(`"${name}" never got its answer. The last one: ${answer.body}`)
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
