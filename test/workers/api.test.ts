import { evictAllDurableObjects } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { ledger } from '../../src/calls/objects.ts'
import { CrashTable } from '../../src/worker.ts'
import {
  call,
  fundedPlayer,
  get,
  openRound,
  pass,
  Player,
  post,
  setTime,
  useStories,
  watch,
  type Answer,
} from './support.ts'

useStories()

function expectRefusal(answer: Answer, status: number, code: string, details?: unknown): void {
  expect(answer.body).toMatchObject({
    ok: false,
    error: { code, message: expect.stringMatching(/\w{3}/) },
  })
  expect(answer.status).toBe(status)
  if (details !== undefined) expect(answer.body.error.details).toEqual(details)
}

/** Sends a request whose connection is lost within its body. */
async function breakOff(path: string, length: Record<string, string>): Promise<Response> {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('Network connection lost.')),
  })
  const headers = { 'content-type': 'application/json', ...length }
  return app.request(path, { method: 'POST', headers, body }, env)
}

describe('every response', () => {
  it('is uncacheable JSON with its own request id', async () => {
    const answers = [
      await get('/api/crash?action=watch'),
      await get('/api/crash'),
      await get('/api/nothing/here'),
      await post('/api/crash', '{'),
      await call('/api/crash', { method: 'DELETE' }),
    ]
    for (const { headers } of answers) {
      expect(headers.get('content-type')).toContain('application/json')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(
      answers.length,
    )
  })
})

describe('the paths', () => {
  it('may end in a slash under /api, and nowhere else', async () => {
    for (const path of [
      '/api/crash/',
      '/api/crash/verify-seeds/',
      '/api/entropy/',
      '/api/health/',
    ]) {
      expect((await get(path)).status).toBe((await get(path.slice(0, -1))).status)
    }
    expect((await get('/api/entropy/')).status).toBe(200)
    expectRefusal(await post('/api/crash/', { action: 'double' }), 400, 'unknown_action')
    expectRefusal(await call('/api/crash/', { method: 'PUT' }), 405, 'method_not_allowed')
    for (const path of ['/api/entropy//', '/api/', '/.well-known/jwks.json/', '/log/key/']) {
      expectRefusal(await get(path), 404, 'not_found')
    }
  })

  it('are all supported by Hono’s fastest router', async () => {
    await get('/api/health')
    expect(app.router.name).toBe('SmartRouter + RegExpRouter')
  })
})

describe('the state', () => {
  it('has exactly the documented fields and types', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ max: 1_000 })
    await alice.bet('10000', { autoCashout: 1.01 })
    setTime(plan.flightAt + 100_000)
    const { body } = await alice.state()
    const amounts = { ETH: expect.stringMatching(/^\d+$/), USDG: expect.stringMatching(/^\d+$/) }
    const bounds = { min: expect.stringMatching(/^\d+$/), max: expect.stringMatching(/^\d+$/) }
    expect(body).toEqual({
      roundId: plan.roundId + 1,
      phase: 'betting',
      msLeft: 8_000,
      multiplier: 1,
      crashPoint: null,
      betsRoot: null,
      betCount: null,
      edgeBps: 100,
      seedHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      pepperSource: { kind: 'committed', pepperHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      betsCloseAt: expect.any(Number),
      flightAt: expect.any(Number),
      serverTime: plan.flightAt + 100_000,
      growthPerMs: 0.00006,
      history: [{ roundId: plan.roundId, crash: expect.any(Number) }],
      recentWins: expect.any(Array),
      mode: 'open',
      me: { chips: amounts, quarantine: amounts, openBet: null, nonce: 0 },
      config: {
        bounds: { ETH: bounds, USDG: bounds },
        bankroll: null,
        terms: {
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          autoplay: true,
          funChips: true,
          minPlayMs: 0,
        },
        chain: null,
        withdrawal: null,
        depositFeeBps: 0,
        maxPayout: amounts,
        maxRoundPayout: amounts,
        minForcedMultiplier: 2,
      },
    })
  })

  it('lists winners and their wins, newest first', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 300 })
    await Promise.all([alice.bet('1000000'), bob.bet('1000000', { autoCashout: 1.5 })])
    setTime(plan.flightAt + 11_553)
    await alice.cashout()
    pass(250)
    const { body } = await bob.state()
    expect(body.recentWins).toEqual([
      { wallet: alice.wallet, token: 'USDG', amount: '1000000', mult: 2, payout: '2000000' },
      { wallet: bob.wallet, token: 'USDG', amount: '1000000', mult: 1.5, payout: '1500000' },
    ])
  })
})

describe('the limits', () => {
  it('cash a bet out if its payout would exceed the maximum', async () => {
    const alice = await fundedPlayer(0)
    const limits = {
      min: '10000',
      max: '10000000',
      maxPayout: '20000000',
      maxRoundPayout: '1000000000',
    }
    const plan = await openRound({ min: 400, limits })
    await alice.bet('9000000')
    setTime(plan.flightAt + 20_000)
    const { body } = await alice.cashout()
    expect(body).toMatchObject({ multiplier: 2.22, payout: '19980000' })
  })

  it('cash everyone out if the round’s payout would exceed its published limit', async () => {
    const [alice, bob, carol] = await Promise.all([
      fundedPlayer(0),
      fundedPlayer(1),
      fundedPlayer(2),
    ])
    const limits = {
      min: '10000',
      max: '10000000',
      maxPayout: '40000000',
      maxRoundPayout: '80000000',
    }
    const plan = await openRound({ min: 900, limits })
    const bets = [
      await alice.bet('10000000', { autoCashout: 1.5 }),
      await bob.bet('7000000'),
      await carol.bet('5500000'),
    ]
    expect(bets.map(({ body }) => body)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
    setTime(plan.flightAt + flightTo(6))
    const answers = [await alice.cashout(), await bob.cashout(), await carol.cashout()]
    expect(answers.map(({ body }) => body.multiplier)).toEqual([1.5, 5.2, 5.2])
  })

  it('refuse a stake above a quarter of what the round can pay at 2.00, and name the largest accepted one', async () => {
    const [alice, bob] = await Promise.all([fundedPlayer(0), fundedPlayer(1)])
    const limits = {
      min: '10000',
      max: '10000000',
      maxPayout: '20000000',
      maxRoundPayout: '80000000',
    }
    await openRound({ limits })
    expect((await watch()).config.minForcedMultiplier).toBe(2)
    expect((await alice.bet('10000000')).status).toBe(200)
    const details = { maxPayout: '80000000', maxAmountWei: '7500000' }
    expectRefusal(await bob.bet('7500001'), 422, 'payout_limit', details)
    expect(await bob.chips()).toBe('1000000000')
    expect((await bob.bet('7500000')).status).toBe(200)
  })
})

describe('a refusal', () => {
  it('names what a bet lacks and moves nothing', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const bounds = { min: '10000', max: '500000000' }
    expectRefusal(await alice.bet('9999'), 422, 'amount_out_of_bounds', bounds)
    expectRefusal(await alice.bet('500000001'), 422, 'amount_out_of_bounds', bounds)
    expectRefusal(await alice.bet('0'), 422, 'amount_out_of_bounds', bounds)
    expectRefusal(await alice.bet('50000000000000', { token: 'ETH' }), 402, 'insufficient_chips', {
      available: '0',
      required: '50000000000000',
    })
    expect(await alice.chips()).toBe('1000000000')
  })

  it.each([
    ['an amount as a number', { amountWei: 10000 }],
    ['a negative amount', { amountWei: '-10000' }],
    ['an amount with a leading zero', { amountWei: '010000' }],
    ['an amount above 2^256 - 1', { amountWei: (2n ** 256n).toString() }],
    ['an amount with decimals', { amountWei: '1.5' }],
    ['an unknown token', { token: 'BTC' }],
    ['no token', { token: undefined }],
    ['an auto-cash-out at 1', { autoCashout: 1 }],
    ['an auto-cash-out with three decimals', { autoCashout: 1.005 }],
    ['an auto-cash-out as a string', { autoCashout: '2' }],
    ['an auto-cash-out above a million', { autoCashout: 1_000_000.01 }],
    ['an invalid round number', { roundId: 1.5 }],
    ['a round number as a string', { roundId: '1' }],
  ])('is invalid_request for %s', async (_, fields) => {
    const alice = await fundedPlayer(0)
    await openRound()
    expectRefusal(await alice.bet('10000', fields), 400, 'invalid_request')
    expect(await alice.chips()).toBe('1000000000')
  })

  it('never applies to exact decimals, exponents included', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const { wallet } = alice
    const bet = {
      action: 'bet',
      wallet,
      authSig: await alice.authSig(),
      token: 'USDG',
      amountWei: '10000',
    }
    const text = JSON.stringify(bet).replace('}', ',"autoCashout":20.10e-1}')
    expect((await post('/api/crash', text)).body.me.openBet).toMatchObject({ autoCashout: 2.01 })
  })

  it('is invalid_request for a body that is not a single JSON object', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      '1',
      'null',
      '{"action":"bet","action":"bet"}',
      '['.repeat(60_000),
    ]) {
      expectRefusal(await post('/api/crash', body), 400, 'invalid_request')
    }
    expectRefusal(await post('/api/crash', { action: 7 }), 400, 'invalid_request')
  })

  it('leads a person who types a path to that view of the page, but no program', async () => {
    const typed = (path: string, accept: string) =>
      exports.default.fetch(`http://fairhouse.test${path}`, {
        headers: { accept },
        redirect: 'manual',
      })
    const led = await typed('/mines', 'text/html,*/*;q=0.8')
    expect([led.status, led.headers.get('location')]).toEqual([302, '/#/mines'])
    expect((await typed('/%0d%0amines', 'text/html')).status).toBe(302)
    expect((await typed('/mines', '*/*')).status).toBe(404)
    expect((await typed('/api/mines', 'text/html,*/*;q=0.8')).status).toBe(404)
  })

  it.each([
    ['to the page that the operator names', 'https://help.example.com/', undefined],
    ['to an address of mail', 'mailto:help@example.com', undefined],
    ['to the rules if none is configured', '', '/#/help'],
  ])('leads from /support %s', async (_where, SUPPORT_URL, place = SUPPORT_URL) => {
    const answer = await app.request('/support', {}, { ...env, SUPPORT_URL })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, place])
  })

  it('distinguishes unknown actions, paths and methods', async () => {
    expectRefusal(await post('/api/crash', { action: 'double' }), 400, 'unknown_action')
    expectRefusal(await post('/api/crash', { action: 'constructor' }), 400, 'unknown_action')
    for (const path of ['/api/crash', '/api/entropy', '/api/lootbox']) {
      expectRefusal(await get(`${path}?action=double`), 400, 'unknown_action')
    }
    expectRefusal(await get('/api/crashes'), 404, 'not_found')
    expectRefusal(await get('/'), 404, 'not_found')
    expectRefusal(await get('/api/crash/verify-seeds?roundId=99'), 404, 'not_found')
    expectRefusal(await get('/api/crash/verify-seeds?roundId=x'), 400, 'invalid_request')
    const wrong = await call('/api/crash', { method: 'PUT' })
    expectRefusal(wrong, 405, 'method_not_allowed')
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  it('precedes reading a body that is too large or not JSON', async () => {
    const large = JSON.stringify({ action: 'bet', padding: 'x'.repeat(65_536) })
    expectRefusal(await post('/api/crash', large), 413, 'body_too_large')
    const inPieces = new Response(large).body?.pipeThrough(new TransformStream()) ?? null
    const headers = { 'content-type': 'application/json' }
    const streamed = await call('/api/crash', { method: 'POST', body: inPieces, headers })
    expectRefusal(streamed, 413, 'body_too_large')
    const form = await call('/api/crash', {
      method: 'POST',
      body: 'action=bet',
      headers: { 'content-type': 'text/plain' },
    })
    expectRefusal(form, 415, 'unsupported_media_type')
  })

  it('is invalid_request if the sender breaks the body off, and is no fault', async () => {
    const logged = vi.spyOn(console, 'error')
    for (const headers of [{}, { 'content-length': '100' }]) {
      const response = await breakOff('/api/crash', headers)
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } })
      expect(response.status).toBe(400)
    }
    expect(logged).not.toHaveBeenCalled()
  })

  it('is a parse error in JSON-RPC if the sender breaks the body off', async () => {
    for (const headers of [{}, { 'content-length': '100' }]) {
      const response = await breakOff('/api/rpc', headers)
      expect(await response.json()).toMatchObject({ error: { code: -32700 } })
    }
  })

  it('limits a client that calls too often, and says when to retry', async () => {
    // Nobody else's wallet, because the limit outlasts this test.
    const erin = await fundedPlayer(6)
    await openRound()
    await erin.bet('10000')
    // More than two windows allow, because a new window may begin at any time.
    const answers = await Promise.all(Array.from({ length: 605 }, () => erin.bet('10000')))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    for (const answer of limited) {
      expectRefusal(answer, 429, 'rate_limited')
      expect(answer.headers.get('retry-after')).toBe('10')
    }
    expect(await erin.chips()).toBe('999990000')
  })

  it('reports a missing chain if none is configured', async () => {
    const bob = new Player(1)
    expectRefusal(await bob.act('withdraw'), 503, 'chain_unavailable')
    expectRefusal(await bob.act('house-topup'), 503, 'chain_unavailable')
  })

  it('hides internal errors and gives a request id to find in the log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(CrashTable.prototype, 'snapshot').mockRejectedValueOnce(new Error('the secret inside'))
    const answer = await get('/api/crash?action=watch')
    expectRefusal(answer, 500, 'internal')
    expect(answer.text).not.toContain('secret')
    expect(logged.mock.calls.flat().join()).toContain(answer.headers.get('x-request-id'))
    await evictAllDurableObjects()
  })
})

describe('production', () => {
  const production = {
    ...env,
    ENVIRONMENT: 'production',
    CRASH_PEPPER: 'drand-quicknet',
    SITE_DOMAIN: 'play.fairhouse.internal',
    SITE_ORIGIN: 'https://play.fairhouse.internal',
    PROTOCOL_WALLET: '',
    PARTNER_KEYS: '',
    LOG_KEY: '',
    OPERATORS: '',
  }
  const request = (path: string, init?: RequestInit) =>
    app.request(`http://fairhouse.test${path}`, init, production)

  it('has no faucet', async () => {
    const body = JSON.stringify({ wallet: new Player(0).wallet, token: 'USDG', amountWei: '1' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    expect((await request('/api/dev/faucet', init)).status).toBe(404)
    expect((await call('/api/dev/faucet', init)).status).toBe(200)
  })

  it('returns no development keys', async () => {
    expect((await request('/api/dev/players')).status).toBe(404)
    expect((await request('/api/dev/operators')).status).toBe(404)
    expect((await get('/api/dev/operators')).body.operators).toHaveLength(4)
    const { body } = await get('/api/dev/players')
    expect(body.players[0]).toEqual({
      address: new Player(0).wallet,
      privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
  })

  it('does not start with a pepper that the house could choose', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const careless = { ...production, CRASH_PEPPER: 'committed' }
    const response = await app.request('http://fairhouse.test/api/crash?action=watch', {}, careless)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'not_configured' } })
    expect(logged.mock.calls.flat().join()).toContain('must be drand-quicknet')
  })

  it.each([
    '/api/health',
    '/log/v1/checkpoint',
    '/exports/v1/plays/2026-11-22.jsonl.gz',
    '/.well-known/jwks.json',
  ])('answers nothing at all if it is misconfigured: %s', async (path) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const careless = { ...production, CRASH_PEPPER: 'committed' }
    const response = await app.request(`http://fairhouse.test${path}`, {}, careless)
    expect([path, response.status]).toEqual([path, 503])
  })
})

describe('the faucet', () => {
  it('credits each id once', async () => {
    const body = { wallet: new Player(0).wallet, token: 'ETH', amountWei: '5', id: 'first' }
    await post('/api/dev/faucet', body)
    expect((await post('/api/dev/faucet', body)).body.me.chips.ETH).toBe('5')
    expectRefusal(
      await post('/api/dev/faucet', { ...body, amountWei: '6' }),
      409,
      'idempotency_conflict',
    )
    expectRefusal(
      await post('/api/dev/faucet', { ...body, amountWei: '0' }),
      400,
      'invalid_request',
    )
  })

  it('takes no id that storage would return as another', async () => {
    const body = { wallet: new Player(0).wallet, token: 'ETH', amountWei: '5', id: '\ud800' }
    expectRefusal(await post('/api/dev/faucet', body), 400, 'invalid_request')
  })

  it('credits no amount that D1 could not count', async () => {
    const alice = new Player(0)
    const credit = (amountWei: bigint) =>
      post('/api/dev/faucet', { wallet: alice.wallet, token: 'ETH', amountWei: String(amountWei) })
    const most = 10n ** 24n
    expectRefusal(await credit(2n ** 256n - 1n), 400, 'invalid_request')
    expectRefusal(await credit(most + 1n), 400, 'invalid_request')
    expect((await credit(most)).status).toBe(200)
    await ledger(env, alice.wallet).sendPosition()
  })
})

function flightTo(multiplier: number): number {
  return Math.ceil(Math.log(multiplier) / 0.00006)
}
