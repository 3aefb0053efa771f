import { STATUS } from '../../src/core/refusal.ts'
import type { OpenApi, OpenApiResponse } from '../../src/reference/document.ts'
import { ReferenceSchemas } from '../shared/reference-schemas.ts'
import type { FuzzRequest } from './calls.ts'
import type { FuzzAnswer } from './client.ts'

/** What nobody outside may read: a stack trace, or a path of the service's files. */
const INSIDES: [what: string, found: RegExp][] = [
  ['a stack trace', /\n\s*at .+[:(]|\bat (async )?[\w$.#]+ \(|:\d+:\d+\)/],
  [
    'a path',
    /\/(?:tmp|home|root|usr|work)\/|node_modules|file:\/\/|worker\.js|(?:durable-objects|src)\/[\w-]+/,
  ],
  [
    'an exception',
    /TypeError|RangeError|ReferenceError|SyntaxError|InvariantError|SQLITE_|D1_ERROR|Cannot read prop/,
  ],
]

const JSON_TYPE = 'application/json'

/** How many hashes and seeds are remembered at most. */
const MAX_SIGHTINGS = 5_000_000

/** Checks every answer against the reference, and remembers what could have been a seed. */
export class Checker {
  /** When each 32 bytes in hex were first seen in an answer. */
  readonly firstSeen = new Map<string, number>()
  readonly #reference: OpenApi
  readonly #schemas: ReferenceSchemas
  /** The paths with variables, those with the most text of their own first. */
  readonly #templates: { path: string; matches: RegExp }[]
  readonly #secrets: readonly string[]
  /** Bodies that were checked before; refusals are often the same. */
  readonly #known = new Set<string>()

  constructor(reference: OpenApi, secrets: readonly string[]) {
    this.#reference = reference
    this.#templates = Object.keys(reference.paths)
      .filter((path) => path.includes('{'))
      .map((path) => ({ path, matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.+')}$`) }))
      .toSorted((a, b) => ownText(b.path).length - ownText(a.path).length)
    this.#schemas = new ReferenceSchemas(reference)
    this.#secrets = secrets
  }

  /** Returns what is wrong with an answer; empty if nothing is. */
  async problemsOf(request: FuzzRequest, answer: FuzzAnswer): Promise<string[]> {
    const pathname = routeOf(request.path)
    const problems = this.leaksIn(answer.text, answer.at)
    // An answer to HEAD has no code.
    const isFault = request.method === 'HEAD' ? answer.status === 500 : !isRefusalOf(answer)
    if (answer.status >= 500 && isFault) problems.push(`a fault: ${answer.status}`)
    if (request.method === 'HEAD') return problems
    return [...problems, ...(await this.#shape(request.method, pathname, answer))]
  }

  /** Returns what a text tells that nobody may know. */
  leaksIn(text: string, at: number): string[] {
    for (const [hex] of text.matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)) {
      if (this.firstSeen.size < MAX_SIGHTINGS && !this.firstSeen.has(hex)) {
        this.firstSeen.set(hex, at)
      }
    }
    const insides = INSIDES.filter(([, found]) => found.test(text))
    const secrets = this.#secrets.filter((secret) => text.includes(secret))
    return [
      ...insides.map(([what]) => `it shows ${what}`),
      ...secrets.map((secret) => `it shows the secret ${secret.slice(0, 8)}…`),
    ]
  }

  #operation(method: string, pathname: string) {
    return this.#reference.paths[this.#route(pathname) ?? '']?.[method.toLowerCase()]
  }

  /** Returns the path of the reference that a path is one of. One without variables comes first. */
  #route(pathname: string): string | undefined {
    return pathname in this.#reference.paths
      ? pathname
      : this.#templates.find(({ matches }) => matches.test(pathname))?.path
  }

  async #shape(method: string, pathname: string, answer: FuzzAnswer): Promise<string[]> {
    const { status, headers, text } = answer
    const operation = this.#operation(method, pathname)
    const isNamed = operation !== undefined && String(status) in operation.responses
    const named = isNamed ? String(status) : status >= 400 ? '4XX' : ''
    const response = operation?.responses[named]
    if (operation && !response) return [`its status ${status} is not in the reference`]
    const isApi = pathname.startsWith('/api')
    // A browser that asks for a page outside the API is sent to the page's own view.
    if (!isApi && status === 302 && headers['location']?.startsWith('/#')) return []
    if (headers['x-request-id'] === undefined) return ['it has no x-request-id']
    const mayBeStored = !isApi && status < 400
    if (headers['cache-control'] !== 'no-store' && !mayBeStored) return ['it may be stored']
    if (text === '') return isSilent(pathname, response) ? [] : ['its body is empty']
    const type = headers['content-type']?.split(';')[0] ?? ''
    const documented = Object.keys(response?.content ?? { [JSON_TYPE]: null })
    // A range of types, as of files.
    if (documented.includes(type.replace(/\/.*/, '/*'))) return []
    if (!documented.includes(type)) return [`its content type ${type} is not in the reference`]
    if (type !== JSON_TYPE) return []
    const body = parsed(text)
    if (body === undefined) return ['it is not JSON']
    const problems = refusalProblems(status, body)
    const place = response
      ? [
          'paths',
          this.#route(pathname) ?? '',
          method.toLowerCase(),
          'responses',
          named,
          'content',
          type,
          'schema',
        ]
      : ['components', 'schemas', 'Refusal']
    const key = `${place.join(' ')} ${text}`
    if (this.#known.has(key)) return problems
    const problem = await this.#schemas.problemWith(place, body)
    if (problem !== null) return [...problems, `it is not as the reference says: ${problem}`]
    if (status >= 400) this.#known.add(key)
    return problems
  }
}

/** Returns the path that the router sees. One slash at its end counts as none. */
export function routeOf(path: string): string {
  const { pathname } = new URL(`http://fuzz.test${path}`)
  return decoded(pathname).replace(/^(\/api\/.*)\/$/, '$1')
}

const ownText = (path: string) => path.replaceAll(/\{\w+\}/g, '')

function decoded(pathname: string): string {
  try {
    return decodeURI(pathname)
  } catch {
    return pathname
  }
}

/** A JSON-RPC body of notifications gets no body back. */
function isSilent(pathname: string, response: OpenApiResponse | undefined): boolean {
  return response !== undefined && (!response.content || pathname === '/api/rpc')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

interface MaybeRefusal {
  ok?: unknown
  error?: { code?: unknown; message?: unknown }
}

/** Whether an answer is a refusal of ours that is no fault. */
function isRefusalOf({ text }: FuzzAnswer): boolean {
  const code = (parsed(text) as MaybeRefusal | null | undefined)?.error?.code
  return typeof code === 'string' && code in STATUS && code !== 'internal'
}

function refusalProblems(status: number, body: unknown): string[] {
  const { ok, error } = body as MaybeRefusal
  if (status < 400) return ok === false ? ['it refuses with a status of success'] : []
  const { code, message } = error ?? {}
  if (typeof code !== 'string' || !Object.hasOwn(STATUS, code)) return ['its code is unknown']
  if (STATUS[code as keyof typeof STATUS] !== status) return [`${code} has the status ${status}`]
  const isHelpful = typeof message === 'string' && message.length > 10 && message.endsWith('.')
  return isHelpful ? [] : ['its message is no sentence']
}
