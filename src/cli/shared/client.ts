import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOwnMachine } from '../../core/own-machine.ts'
import { printable } from '../../core/printable.ts'
import type { ErrorCode } from '../../core/refusal.ts'
import { findBaseUrl } from './manifest.ts'
import { CommandError } from './terminal.ts'

type Texts = Record<string, string>

const TIMEOUT_MS = 10_000
const LIMITED_TRIES = 10

/** An error answer of the service, with the service's own message for a person. */
export class ServiceError extends CommandError {
  override name = 'ServiceError'
  readonly status: number
  readonly code: ErrorCode | null

  constructor(status: number, error?: { code: ErrorCode; message: string; details?: unknown }) {
    super(error ? printable(worded(error)) : `The service answered with status ${status}.`)
    this.status = status
    this.code = error?.code ?? null
  }
}

/** Returns an error as one text for a person, whose message the details complete. */
function worded({ message, details }: Refused['error']): string {
  if (details === undefined) return message
  if (areFields(details)) {
    const fields = details.map((field) => `${field.path}: ${field.message}`).join('; ')
    return `${message.replace(' Correct the fields listed in details.', '')} ${fields}`
  }
  const facts = typeof details === 'object' ? Object.values(details ?? {}) : [details]
  const areTold = facts.every((fact) => message.includes(String(fact)))
  return areTold ? message : `${message} ${JSON.stringify(details)}`
}

function areFields(details: unknown): details is { path: string; message: string }[] {
  return (
    Array.isArray(details) &&
    details.every((field) => typeof (field as { path?: unknown } | null)?.path === 'string')
  )
}

/** The service could not be reached, which proves nothing about it. */
export class Unreachable extends CommandError {
  override name = 'Unreachable'
}

/** Nobody answered at all. */
export class Unanswered extends Unreachable {
  override name = 'Unanswered'

  /** @param devUrl where the service of `npm run dev` runs, if it does */
  constructor(url: URL, devUrl: string | null = null) {
    super(`${url.origin} does not answer. ${remedyFor(url, devUrl)}`)
  }
}

function remedyFor({ hostname, origin }: URL, devUrl: string | null): string {
  if (!isOwnMachine(hostname)) return 'Check the URL and your connection, or try again later.'
  if (devUrl === null || new URL(devUrl).origin === origin)
    return 'Is the service running (npm run dev)?'
  return `npm run dev runs at ${devUrl}. Use that URL: play and operate take it with --url.`
}

/** A client for the service at a base URL. Throws error answers, and waits after `rate_limited`. */
export class Client {
  readonly baseUrl: URL
  readonly #onWait: (seconds: number) => void
  readonly #headers: Record<string, string>

  /** @param headers to send with each call */
  constructor(
    baseUrl: string,
    onWait: (seconds: number) => void = () => {},
    headers: Record<string, string> = {},
  ) {
    if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new CommandError(`${baseUrl} is not a URL. Use one like http://localhost:8787.`)
    }
    this.baseUrl = new URL(baseUrl)
    this.#onWait = onWait
    this.#headers = headers
  }

  async get<T>(path: string, query: Texts = {}, headers: Texts = {}): Promise<T> {
    return readAnswer<T>(await this.#call(this.#urlOf(path, query), { headers }))
  }

  /** Gets an answer that is not JSON. */
  async getText(path: string, query: Texts = {}, headers: Texts = {}): Promise<string> {
    const answered = await this.#call(this.#urlOf(path, query), { headers })
    return answered.response.ok ? answered.text : readAnswer(answered)
  }

  async post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return readAnswer<T>(await this.#call(new URL(path, this.baseUrl), init))
  }

  #urlOf(path: string, query: Texts): URL {
    const url = new URL(path, this.baseUrl)
    url.search = new URLSearchParams(query).toString()
    return url
  }

  /**
   * Gets a file of any size, without a time limit; null if there is no such file.
   * @throws Unreachable if the service does not send it; if the download breaks off, its reader gets this error
   */
  async file(path: string): Promise<Readable | null> {
    const url = new URL(path, this.baseUrl)
    const { response } = await this.#patiently(() => begin(url, { headers: this.#headers }))
    if (response.status === 404) return null
    if (!response.ok || !response.body) {
      throw new Unreachable(`${url.href} answers with status ${response.status}. Try again later.`)
    }
    return Readable.from(wholeOf(url, response.body))
  }

  #call(url: URL, init: Omit<RequestInit, 'headers'> & { headers: Texts }): Promise<HttpAnswer> {
    const headers = { ...this.#headers, ...init.headers }
    return this.#patiently(() => request(url, { ...init, headers }))
  }

  /** Makes a call. Repeats it after `rate_limited`, which is safe because nothing was done. */
  async #patiently<T extends { response: Response }>(call: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answered = await call()
      const { response } = answered
      if (response.status !== 429 || tries === LIMITED_TRIES) return answered
      const seconds = retryAfter(response)
      this.#onWait(seconds)
      await sleep(seconds * 1000)
    }
  }
}

const LONGEST_WAIT_S = 60

/** Returns how long to wait after `rate_limited`, in seconds. The house must not silence a tool for longer. */
export function retryAfter({ headers }: Response): number {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds), LONGEST_WAIT_S) : 1
}

/** Reads a JSON answer of any shape from any URL. */
export async function fetchJson(url: URL): Promise<unknown> {
  return readAnswer(await request(url))
}

interface HttpAnswer {
  response: Response
  text: string
}

/** @throws Unreachable if nobody answers, or the answer breaks off or takes too long */
async function request(url: URL, init: RequestInit = {}): Promise<HttpAnswer> {
  const { response } = await begin(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  try {
    return { response, text: await response.text() }
  } catch {
    throw brokenOff(url)
  }
}

/** @throws Unanswered if nobody answers */
async function begin(url: URL, init: RequestInit): Promise<{ response: Response }> {
  try {
    return { response: await fetch(url, init) }
  } catch {
    throw new Unanswered(url, await findBaseUrl())
  }
}

async function* wholeOf(url: URL, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch {
    throw brokenOff(url)
  }
}

function brokenOff(url: URL): Unreachable {
  return new Unreachable(`${url.origin} did not send its whole answer. Try again later.`)
}

function readAnswer<T>({ response, text }: HttpAnswer): T {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    // A firewall or the like in front of the service answers with pages.
    const isUnreached = response.status >= 500 || [403, 429].includes(response.status)
    const Fault = isUnreached ? Unreachable : CommandError
    throw new Fault(
      `${response.url} did not answer with JSON (status ${response.status}). Check the URL.`,
    )
  }
  if (response.ok) return answer as T
  throw new ServiceError(response.status, (answer as Partial<Refused>).error)
}

interface Refused {
  error: { code: ErrorCode; message: string; details?: unknown }
}
