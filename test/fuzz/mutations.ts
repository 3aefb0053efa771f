import type { TokenParts } from '../../src/certify/token.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import type { OpenApi } from '../../src/reference/document.ts'
import type { JsonSchema } from '../../src/reference/schemas.ts'
import type { Random } from '../live/random.ts'
import { CALLS, sealed, validDraft, withSignature, type Draft, type FuzzRequest } from './calls.ts'
import type { Cast } from './cast.ts'
import { at, pathsOf, replaced, textOf, withOtherKeys, type Path, type Tree } from './tree.ts'
import { nearValue, ODD_HEADERS, ODD_HEADER_VALUES, oddText, oddValue } from './values.ts'

/** A request, and what it was made from. */
export interface Made {
  draft: Draft
  request: FuzzRequest
  /** Whether it is the valid call, unchanged. */
  isValid: boolean
}

/** Makes a call of the reference that is wrong in one place, or right. */
export async function makeRequest(random: Random, cast: Cast, reference: OpenApi): Promise<Made> {
  await cast.keepSignedIn()
  const valid = validDraft(random, cast, random.pick(CALLS))
  const place = random.draw()
  if (place < 0.15) return { ...(await plain(cast, valid, (text) => text)), isValid: true }
  if (place < 0.6) {
    const mutated = withOddField(random, valid, reference)
    // Usually its signature is of what it says now.
    return random.chance(0.8) ? plain(cast, mutated, (text) => text) : unsigned(mutated)
  }
  if (place < 0.7) return plain(cast, valid, (text) => withOddText(random, text))
  if (place < 0.82) {
    const made = await plain(cast, valid, (text) => text)
    return { ...made, request: withOddHeaders(random, made.request) }
  }
  if (place < 0.9) {
    const request = withOddPath(random, sealed(valid, textOfBody(valid)))
    return { draft: valid, request, isValid: false }
  }
  if (valid.authorization !== null) {
    const draft = { ...valid, authorization: oddCredentials(random, valid.authorization) }
    return unsigned(draft)
  }
  if (valid.call.caller !== 'partner') {
    return { ...(await plain(cast, valid, (text) => text)), isValid: true }
  }
  const partner = random.chance(0.3) ? OTHER_DEV_PARTNER : undefined
  const spoil = (token: TokenParts) => withOddToken(random, token)
  const request = sealed(valid, textOfBody(valid), partner, spoil)
  return { draft: valid, request, isValid: false }
}

async function plain(cast: Cast, draft: Draft, change: (text: string) => string): Promise<Made> {
  return unsigned(await withSignature(cast, draft), change)
}

function unsigned(draft: Draft, change: (text: string) => string = (text) => text): Made {
  const text = textOfBody(draft)
  return { draft, request: sealed(draft, text === null ? null : change(text)), isValid: false }
}

const textOfBody = ({ body }: Draft): string | null => (body ? textOf(body) : null)

/** Changes one field or one key, of the query or the body. */
function withOddField(random: Random, draft: Draft, reference: OpenApi): Draft {
  const { body, query } = draft
  if (!body) return { ...draft, query: withOddQuery(random, query) }
  const odd = () => oddValue(random)
  if (random.chance(0.3)) return { ...draft, body: withOtherKeys(random, body, odd) }
  const path = random.pick(pathsOf(body))
  if (path === undefined) return { ...draft, body: odd() }
  const current = at(body, path)
  const near = (tree: Tree) => nearValue(random, tree, schemasAt(reference, draft, path))
  const value = current && random.chance(0.6) ? near(current) : odd()
  return { ...draft, body: replaced(body, path, value) }
}

function withOddQuery(random: Random, query: Draft['query']): Draft['query'] {
  const index = random.between(0, Math.max(0, query.length - 1))
  const [name = 'wallet', value = ''] = query[index] ?? []
  const others = query.filter((_, other) => other !== index)
  return random.pick<() => Draft['query']>([
    () => [...others, [name, oddText(random)]],
    () => [...others, [name, value.slice(0, -1)]],
    () => [...others, [name, value + '0']],
    () => [...others, [name, value.toLowerCase()]],
    () => [...others, [name, value.toUpperCase()]],
    () => [...others, [name, ` ${value}`]],
    () => [...others, [name, `-${value}`]],
    () => others,
    () => [...query, [name, oddText(random)]],
    () => [[name, oddText(random)], ...query],
    () => [...others, [name.toUpperCase(), value]],
    () => [...others, [`${name}[]`, value]],
    () => [...query, ['action', oddText(random)]],
    () => [...query, [oddText(random), value]],
    () => [...query, ['__proto__', value]],
  ])()
}

/** Changes the text of a body, mostly so that it isn't JSON any more. */
function withOddText(random: Random, text: string): string {
  const place = random.between(0, text.length)
  const [before, after] = [text.slice(0, place), text.slice(place)]
  return random.pick([
    before,
    after,
    `${text}${text}`,
    `[${text}]`,
    `${text},`,
    `\ufeff${text}`,
    `${text}\u0000`,
    `${before}\u0000${after}`,
    `${before},${after}`,
    `${before}"${after}`,
    `${before}\\${after}`,
    text.replaceAll('"', "'"),
    text.replaceAll(':', '='),
    text.replaceAll('{', '['),
    '',
    ' ',
    'null',
    '"',
    '{',
    '[',
    '0',
    'true',
    '{}',
    '[]',
    '""',
    `"${text}"`,
    `${' '.repeat(70_000)}${text}`,
    `${text}${' '.repeat(65_536 - text.length)}`,
    `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    '{"a":'.repeat(13_000),
    before + `\\u00${random.between(0, 99)}` + after,
  ])
}

/** Up to three, because some count only together: `if-range` with `range`. */
function withOddHeaders(random: Random, request: FuzzRequest): FuzzRequest {
  const names = new Set(
    [1, 2, 3].slice(0, random.between(1, 3)).map(() => random.pick(ODD_HEADERS)),
  )
  const others = request.headers.filter(([other]) => !names.has(other))
  const odd = [...names].map((name): [string, string] => [name, random.pick(ODD_HEADER_VALUES)])
  // A body that says it is compressed, and isn't, is a matter of the platform.
  return { ...request, headers: [...others, ...odd] }
}

/** Spoils a sign-in of an operator or the token of the monitor. */
function oddCredentials(random: Random, sound: string): string {
  const [scheme = '', secret = ''] = sound.split(' ')
  const [wallet = '', issuedAt = '', signature = ''] = secret.split('.')
  return random.pick([
    sound,
    scheme,
    `${scheme} `,
    `${scheme}  ${secret}`,
    `${scheme.toLowerCase()} ${secret}`,
    `${scheme} ${secret.slice(0, -1)}`,
    `${scheme} ${secret.slice(0, -2)}`,
    `${scheme} ${secret}00`,
    `${scheme} ${secret.toUpperCase()}`,
    `${scheme} ${secret}, ${scheme} ${secret}`,
    `Wallet ${wallet.toLowerCase()}.${issuedAt}.${signature}`,
    `Wallet ${wallet}.${issuedAt}1.${signature}`,
    `Wallet ${wallet}.0.${signature}`,
    `Wallet ${wallet}.${'9'.repeat(15)}.${signature}`,
    `Wallet ${wallet}.${issuedAt}.0x`,
    `Wallet ${wallet}.${issuedAt}.0x${'00'.repeat(65)}`,
    `Wallet ${wallet}.${issuedAt}.0x${'6492'.repeat(16)}`,
    `Wallet ${wallet}.${issuedAt}`,
    `Wallet 0x${'0'.repeat(40)}.${issuedAt}.${signature}`,
    `Bearer ${secret}`,
    `Basic ${secret}`,
  ])
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'SEARCH']

function withOddPath(random: Random, request: FuzzRequest): FuzzRequest {
  const [path = '', query = ''] = request.path.split('?')
  const odd = random.pick([
    path,
    path,
    path,
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    path.slice(0, -1),
    `${path}%00`,
    `${path}/..%2f`,
    `${path};a=1`,
    `${path}%`,
    `${path}%zz`,
    `${path}/%ff`,
    `/api/${'a/'.repeat(500)}`,
    '/api',
    '/api/',
    '/api/dev',
    '/',
    '/favicon.ico',
    '/api/__proto__',
    '/api/crash/toString',
    '/%61pi/crash',
    path.replace('/api/', '/api/./'),
    path.replace('/api/', '/api//'),
    `/${'a'.repeat(9_000)}`,
  ])
  const method = random.pick([request.method, ...METHODS])
  const bare = method === 'GET' || method === 'HEAD'
  const search = query && `?${query}`
  return { ...request, method, path: `${odd}${search}`, body: bare ? null : request.body }
}

function withOddToken(random: Random, { header, claims, secret }: TokenParts): TokenParts {
  const odd = () =>
    random.pick([null, '', 0, -1, 1e21, 'a', '\u0000', 'a'.repeat(5_000), '[]', 0.5])
  const name = random.pick(['iss', 'aud', 'iat', 'exp', 'jti', 'bodyHash', 'nbf', 'sub', 'kid'])
  return random.pick<TokenParts>([
    { header, claims: { ...claims, [name]: odd() }, secret },
    { header, claims: { ...claims, [name]: undefined }, secret },
    {
      header: { ...header, [random.pick(['alg', 'typ', 'kid', 'crit', 'b64', 'jwk'])]: odd() },
      claims,
      secret,
    },
    {
      header: { ...header, alg: random.pick(['none', 'HS512', 'RS256', 'hs256']) },
      claims,
      secret,
    },
    { header, claims, secret: random.pick(['', 'a', secret.slice(1)]) },
    {
      header,
      claims: { ...claims, jti: random.pick(['12345678', 'fuzz-again', 'a'.repeat(64)]) },
      secret,
    },
  ])
}

/** Returns the schemas that the reference has for a place in a call's body. */
function schemasAt(reference: OpenApi, { operation }: Draft, path: Path): JsonSchema[] {
  const { requestBody } = reference.paths[operation.path]?.[operation.method] ?? {}
  const root = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  let schemas = root.flatMap((schema) => forms(reference, schema))
  for (const key of path) {
    schemas = schemas.flatMap(({ properties, items }) => {
      const child = typeof key === 'number' ? items : properties?.[key]
      return child ? forms(reference, child) : []
    })
  }
  return schemas
}

/** Returns a schema's forms: what it refers to, and each member of a union. */
function forms(reference: OpenApi, schema: JsonSchema): JsonSchema[] {
  const name = schema.$ref?.split('/').at(-1)
  const target = name === undefined ? schema : reference.components.schemas[name]
  if (!target) return []
  const members = [...(target.anyOf ?? []), ...(target.oneOf ?? [])]
  return [target, ...members.flatMap((member) => forms(reference, member))]
}
