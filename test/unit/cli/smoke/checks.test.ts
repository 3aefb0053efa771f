import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { smokeChecks, type Version } from '../../../../src/cli/smoke/checks.ts'

const ORIGIN = 'https://play.fairhouse.test'
const HASH = '7e'.repeat(32)

/** What a working site answers, by path: a status and a body. */
const working = (): Record<string, [number, unknown]> => ({
  '/api/health': [
    200,
    { ok: true, status: 'up', parts: { table: { status: 'up' }, log: { status: 'up' } } },
  ],
  '/.well-known/jwks.json': [200, { keys: [{ kty: 'EC' }] }],
  '/api/crash': [
    200,
    { roundId: 7, seedHash: HASH, serverTime: Date.now(), config: { terms: { hash: HASH } } },
  ],
  '/log/key': [503, { ok: false, error: { code: 'not_configured', message: 'No log.' } }],
  '/api/entropy': [200, { terms: { hash: HASH } }],
  'POST /api/entropy': [401, { ok: false, error: { code: 'auth_invalid', message: 'No.' } }],
  '/api/auth/message': [200, { message: 'play.fairhouse.test wants you to sign in\n…' }],
  '/': [200, '<link href="/style.css"><script src="/main.js"></script>'],
  '/style.css': [200, ''],
  '/main.js': [200, ''],
})

let site: Record<string, [number, unknown]>
let leadsToHttps: boolean
/** The version that was asked for, by path. */
let overrides: Record<string, string | null>

beforeEach(() => {
  site = working()
  leadsToHttps = true
  overrides = {}
  vi.stubGlobal('fetch', async (input: URL | string, init?: RequestInit) => {
    const { pathname, protocol, href } = new URL(input)
    if (protocol === 'http:' && leadsToHttps) {
      return new Response('', { status: 301, headers: { location: href.replace('http', 'https') } })
    }
    overrides[pathname] = new Headers(init?.headers).get('cloudflare-workers-version-overrides')
    const [status, body] = site[init?.method === 'POST' ? `POST ${pathname}` : pathname] ?? [
      404,
      '',
    ]
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  })
})
afterEach(() => vi.unstubAllGlobals())

async function problems(version: Version | null = null): Promise<[string, string][]> {
  const results = await smokeChecks(new URL(ORIGIN), version)
  return results.flatMap(({ claim, problem }) => (problem === null ? [] : [[claim, problem]]))
}

describe('the smoke test', () => {
  it('passes on a site that works', async () => {
    expect(await problems()).toEqual([])
  })

  it('finds a site that also answers by http, where its pages and signatures can be read', async () => {
    leadsToHttps = false
    expect(await problems()).toEqual([
      [
        'requests by http are led to https',
        'http://play.fairhouse.test/ answers with status 200. Switch on "Always Use HTTPS" for the zone.',
      ],
    ])
  })

  it.each<[string, string, [number, unknown], string]>([
    [
      'a part that is degraded',
      '/api/health',
      [
        200,
        {
          parts: {
            log: { status: 'up' },
            beacon: { status: 'degraded', message: 'The beacon is late.' },
          },
        },
      ],
      'Degraded: beacon (The beacon is late.)',
    ],
    [
      'a site without a public log',
      '/api/health',
      [200, { parts: { log: { status: 'off' } } }],
      'Set the secret LOG_KEY.',
    ],
    [
      'a site without keys for receipts',
      '/.well-known/jwks.json',
      [200, { keys: [] }],
      'Set the secret RECEIPT_KEYS.',
    ],
    ['games without terms', '/api/entropy', [200, { terms: { hash: '' } }], 'no hash'],
    [
      'the sign-in of another domain',
      '/api/auth/message',
      [200, { message: 'old.fairhouse.test wants you to sign in' }],
      'old.fairhouse.test',
    ],
    ['a stake that passes unsigned', 'POST /api/entropy', [200, { ok: true }], 'It was accepted.'],
    ['a script that is missing', '/main.js', [404, ''], 'Missing: /main.js'],
    ['a site without a page', '/', [404, ''], 'status 404'],
  ])('finds %s', async (_what, path, answer, message) => {
    site[path] = answer
    const found = await problems()
    expect(found).toHaveLength(1)
    expect(found[0]?.[1]).toContain(message)
  })

  it('asks for a version that is deployed beside another one, and finds that another one answered', async () => {
    const newer = 'dc8dcd28-271b-4367-9840-6c244f84cb40'
    const [status, health] = site['/api/health'] as [number, object]
    site['/api/health'] = [status, { ...health, version: newer }]
    expect(await problems({ worker: 'acme', id: newer })).toEqual([])
    const asked = `acme="${newer}"`
    for (const path of ['/', '/main.js', '/api/crash', '/api/entropy']) {
      expect(overrides[path]).toBe(asked)
    }
    site['/api/health'] = [status, { ...health, version: 'older' }]
    expect(await problems({ worker: 'acme', id: newer })).toEqual([
      [`version ${newer} answers`, expect.stringContaining('Version older answered.')],
    ])
  })

  it('finds a clock that is wrong, and a round without a commitment', async () => {
    const [, table] = site['/api/crash'] as [number, object]
    site['/api/crash'] = [200, { ...table, serverTime: Date.now() - 60_000, seedHash: '' }]
    expect((await problems()).map(([claim]) => claim)).toEqual([
      'the table commits to its round',
      'its clock is right',
    ])
  })

  it('says once that the site does not answer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('connection refused')))
    expect(await problems()).toEqual([
      ['the site answers', expect.stringContaining(`${ORIGIN} does not answer.`)],
    ])
  })

  it('goes on if the site does not answer a later check', async () => {
    const answering = globalThis.fetch
    vi.stubGlobal('fetch', (input: URL | string, init?: RequestInit) =>
      new URL(input).pathname === '/api/entropy'
        ? Promise.reject(new Error('connection reset'))
        : answering(input, init),
    )
    expect((await problems()).map(([claim]) => claim)).toEqual([
      'the games show their terms',
      'a stake without a valid signature is refused',
    ])
  })
})
