import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startIsolate, type Isolate } from './isolate.ts'
import { OPERATORS, signAct, signInHeader } from './operator.ts'
import { now, outcomeOf, pass, useStories, type Answer } from './support.ts'

useStories()

const TEAM = 'https://fairhouse.cloudflareaccess.com'
const AUDIENCE = '4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2'
const VARS = { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUD: AUDIENCE }

const { privateKey, publicKey } = await generateKeyPair('RS256')
const stranger = await generateKeyPair('RS256')

/** Keeps no key from test to test, each of which has a day of its own. */
let isolate: Isolate
/** What the team's certificates answer. */
let certs: () => Promise<Response>
const published = async (...keys: CryptoKey[]) => {
  const jwks = await Promise.all(keys.map((key) => exportJWK(key)))
  return Response.json({ keys: jwks.map((jwk, index) => ({ ...jwk, kid: `key-${index + 1}` })) })
}
let asked: string[]

beforeAll(async () => {
  isolate = await startIsolate()
})

beforeEach(() => {
  asked = []
  certs = () => published(publicKey)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    asked.push(input instanceof Request ? input.url : input.toString())
    return certs()
  })
})

interface Token {
  issuer?: string
  audience?: string
  /** In seconds from now. */
  lifetime?: number | null
  key?: CryptoKey | Uint8Array
  header?: { alg: string; kid: string }
}

function token({ issuer = TEAM, audience = AUDIENCE, lifetime = 60, ...rest }: Token = {}) {
  const { key = privateKey, header = { alg: 'RS256', kid: 'key-1' } } = rest
  const at = Math.floor(now() / 1_000)
  const jwt = new SignJWT({ email: 'operator@fairhouse.example', type: 'app' })
    .setProtectedHeader(header)
    .setIssuer(issuer)
    .setAudience([audience])
    .setIssuedAt(at)
  return (lifetime === null ? jwt : jwt.setExpirationTime(at + lifetime)).sign(key)
}

/** An operator looks at the service, signed in with their wallet. */
async function look(assertion?: string, vars: object = VARS): Promise<Answer> {
  const authorization = await signInHeader()
  const headers = {
    authorization,
    ...(assertion !== undefined && { 'cf-access-jwt-assertion': assertion }),
  }
  return isolate.call('/api/operate', { headers }, vars)
}

describe('behind Cloudflare Access, an operator', () => {
  it('passes with the wallet’s sign-in and a token of Access', async () => {
    expect((await look(await token())).status).toBe(200)
    expect(asked).toEqual([`${TEAM}/cdn-cgi/access/certs`])
  })

  it('needs both: a token of Access alone shows nothing', async () => {
    const headers = { 'cf-access-jwt-assertion': await token() }
    expect(outcomeOf(await isolate.call('/api/operate', { headers }, VARS))).toEqual([
      401,
      'auth_required',
    ])
  })

  it('who comes past Access is refused', async () => {
    expect(outcomeOf(await look())).toEqual([401, 'token_missing'])
    expect(asked).toEqual([])
  })

  it.each<[string, () => Promise<string>]>([
    ['for another application', () => token({ audience: 'f'.repeat(64) })],
    ['of another team', () => token({ issuer: 'https://elsewhere.cloudflareaccess.com' })],
    ['signed by another key', () => token({ key: stranger.privateKey })],
    [
      'signed by a key that the team does not have',
      () => token({ key: stranger.privateKey, header: { alg: 'RS256', kid: 'key-9' } }),
    ],
    [
      'signed with the public key as a shared secret',
      async () =>
        token({
          key: new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey))),
          header: { alg: 'HS256', kid: 'key-1' },
        }),
    ],
    ['without an expiry', () => token({ lifetime: null })],
    ['that is none', async () => 'a.b.c'],
    ['without a signature', async () => `${(await token()).split('.').slice(0, 2).join('.')}.`],
  ])('is refused with a token %s', async (_what, made) => {
    expect(outcomeOf(await look(await made()))).toEqual([401, 'token_invalid'])
  })

  it('is refused with a token that has expired', async () => {
    const assertion = await token()
    expect((await look(assertion)).status).toBe(200)
    pass(60_000)
    expect(outcomeOf(await look(assertion))).toEqual([401, 'token_expired'])
  })

  it('is told to try again while the team’s keys can’t be read', async () => {
    for (const broken of [
      () => Promise.reject(new Error('no network')),
      async () => new Response('busy', { status: 500 }),
      async () => new Response('no JSON'),
      async () => Response.json({ certificates: [] }),
    ]) {
      certs = broken
      expect(outcomeOf(await look(await token()))).toEqual([502, 'upstream_failed'])
    }
    certs = () => published(publicKey)
    expect((await look(await token())).status).toBe(200)
  })

  it('orders nothing without a token, however well the act is signed', async () => {
    const body = JSON.stringify(await signAct({}, OPERATORS.admin))
    const order = (headers: Record<string, string>) =>
      isolate.call(
        '/api/operate',
        { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
        VARS,
      )
    expect(outcomeOf(await order({}))).toEqual([401, 'token_missing'])
    const foreign = { 'cf-access-jwt-assertion': await token({ audience: 'other' }) }
    expect(outcomeOf(await order(foreign))).toEqual([401, 'token_invalid'])
    const headers = { 'cf-access-jwt-assertion': await token() }
    expect((await order(headers)).body.act.result).toMatchObject({ isDone: true })
  })

  it('reads the modes without one, as everyone may', async () => {
    expect((await isolate.call('/api/operate?action=modes', {}, VARS)).status).toBe(200)
  })
})

describe('the team’s keys', () => {
  it('are read once in ten minutes', async () => {
    for (let call = 0; call < 3; call++) await look(await token())
    pass(599_999)
    await look(await token())
    expect(asked).toHaveLength(1)
    pass(1)
    await look(await token())
    expect(asked).toHaveLength(2)
  })

  it('are read again for a key that was rotated in, at most twice a minute', async () => {
    await look(await token())
    certs = () => published(publicKey, stranger.publicKey)
    const rotated = { key: stranger.privateKey, header: { alg: 'RS256', kid: 'key-2' } }
    expect(outcomeOf(await look(await token(rotated)))).toEqual([401, 'token_invalid'])
    pass(30_000)
    expect((await look(await token(rotated))).status).toBe(200)
    expect(asked).toHaveLength(2)
  })
})

it('a service without operators has nothing to show or to order', async () => {
  const answer = await isolate.call('/api/operate', {}, { OPERATORS: {} })
  expect(outcomeOf(answer)).toEqual([503, 'not_configured'])
})
