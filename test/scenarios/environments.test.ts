import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import {
  createCheckout,
  removeCheckout,
  runCli,
  startIn,
  startService,
  type StartedService,
} from './started-service.ts'

/** What an operator sets before anything else. */
const PRODUCTION = {
  ENVIRONMENT: 'production',
  SITE_DOMAIN: 'play.fairhouse.internal',
  SITE_ORIGIN: 'https://play.fairhouse.internal',
  PROTOCOL_WALLET: '',
  OPERATORS: '',
}

describe('a plain npx wrangler dev in a fresh checkout', () => {
  let checkout: string
  let service: StartedService

  beforeAll(async () => {
    checkout = await createCheckout()
    service = await startIn(checkout, (port) => ['npx', 'wrangler', 'dev', '--port', String(port)])
  })

  afterAll(async () => {
    await service?.stop()
    await removeCheckout(checkout)
  })

  it('serves the crash table', async () => {
    const response = await fetch(`${service.baseUrl}/api/crash?action=watch`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ roundId: 1, phase: 'betting', crashPoint: null })
  })
})

describe('production', () => {
  let service: StartedService

  beforeAll(async () => {
    service = await startService({ ...PRODUCTION, CRASH_PEPPER: 'drand-quicknet' })
  })

  afterAll(() => service?.stop())

  it('has no faucet', async () => {
    const faucet = `${service.baseUrl}/api/dev/faucet`
    for (const request of [{}, { method: 'POST' }]) {
      const response = await fetch(faucet, request)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  it('uses a beacon that is published after betting closes', async () => {
    const response = await fetch(`${service.baseUrl}/api/crash?action=watch`)
    expect(await response.json()).toMatchObject({ pepperSource: { kind: 'drand-quicknet' } })
  })

  it('tells a player without chips what to do', async () => {
    const { output, exitCode } = await runCli('play', '--url', service.baseUrl)
    expect(output).toContain('You have 0 USDG in chips and want to bet 1 USDG')
    expect(output).toContain('deposit some first')
    expect(exitCode).toBe(1)
  })
})

describe('production with a pepper that the house could choose', () => {
  let service: StartedService

  beforeAll(async () => {
    service = await startService(PRODUCTION)
  })

  afterAll(() => service?.stop())

  const { address: wallet } = devPlayer(0)
  const bet = { action: 'bet', wallet, authSig: '0x00', token: 'USDG', amountWei: '1000000' }

  it.each<[string, object?]>([
    [`/api/auth/message?wallet=${wallet}`],
    [`/api/crash?wallet=${wallet}&authSig=0x00`],
    ['/api/crash'],
    ['/api/crash?action=watch'],
    ['/api/crash?action=verify-seeds'],
    ['/api/crash/verify-seeds'],
    ['/api/crash', bet],
    ['/api/dev/faucet', { wallet, token: 'USDG', amountWei: '1' }],
  ])('answers %s with not_configured', async (path, body) => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response = await fetch(`${service.baseUrl}${path}`, init)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ ok: false, error: { code: 'not_configured' } })
  })
})
