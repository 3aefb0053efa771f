import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { get, now, Player, setTime, useStories } from './support.ts'

useStories()

const alice = new Player(0)

async function stateWith(wallet: string, authSig: string) {
  const { status, body } = await get(`/api/crash?wallet=${wallet}&authSig=${authSig}`)
  return status === 200 ? 'accepted' : body.error.code
}

describe('the sign-in signature', () => {
  it('lasts from the day it was made to the end of the next', async () => {
    const midnight = Math.ceil(now() / DAY_MS) * DAY_MS
    setTime(midnight)
    const authSig = await alice.authSig()
    for (const at of [
      midnight,
      midnight + DAY_MS - 1,
      midnight + DAY_MS,
      midnight + 2 * DAY_MS - 1,
    ]) {
      setTime(at)
      expect(await stateWith(alice.wallet, authSig)).toBe('accepted')
    }
    setTime(midnight + 2 * DAY_MS)
    expect(await stateWith(alice.wallet, authSig)).toBe('auth_invalid')
    setTime(midnight - 1)
    expect(await stateWith(alice.wallet, authSig)).toBe('auth_invalid')
  })

  it('is requested if it is missing, and refused if it is malformed', async () => {
    const authSig = await alice.authSig()
    const flipped = authSig.replace(/.$/, (digit) => (digit === 'b' ? 'c' : 'b'))
    const cases: [string, string, string][] = [
      ['', authSig, 'auth_required'],
      [alice.wallet, '', 'auth_required'],
      [alice.wallet, 'nonsense', 'auth_invalid'],
      [alice.wallet, '0x', 'auth_invalid'],
      [alice.wallet, authSig.slice(0, -2), 'auth_invalid'],
      [alice.wallet, `${authSig}00`, 'auth_invalid'],
      [alice.wallet, flipped, 'auth_invalid'],
      [alice.wallet, `0x${'00'.repeat(65)}`, 'auth_invalid'],
      [alice.wallet, `0x${'ff'.repeat(65)}`, 'auth_invalid'],
      [alice.wallet, `0x${'ab'.repeat(5_000)}`, 'auth_invalid'],
      [new Player(1).wallet, authSig, 'auth_invalid'],
      ['0x1234', authSig, 'invalid_request'],
      [alice.wallet.replace('f', 'F'), authSig, 'invalid_request'],
    ]
    for (const [wallet, signature, code] of cases) {
      expect([wallet, signature.slice(0, 20), await stateWith(wallet, signature)]).toEqual([
        wallet,
        signature.slice(0, 20),
        code,
      ])
    }
  })

  it('is invalid for a similar message', async () => {
    const { message } = (await get(`/api/auth/message?wallet=${alice.wallet}`)).body
    for (const altered of [
      message.replace('localhost', 'evil.test'),
      `${message}\n`,
      message.replaceAll('\n', '\r\n'),
    ]) {
      const authSig = await alice.account.signMessage({ message: altered })
      expect(await stateWith(alice.wallet, authSig)).toBe('auth_invalid')
    }
  })

  it('works for a wallet in any letter case, returned in EIP-55 form', async () => {
    const authSig = await alice.authSig()
    for (const wallet of [alice.wallet.toLowerCase(), `0x${alice.wallet.slice(2).toUpperCase()}`]) {
      expect(await stateWith(wallet, authSig)).toBe('accepted')
    }
    const { message } = (await get(`/api/auth/message?wallet=${alice.wallet.toLowerCase()}`)).body
    expect(message).toContain(`\n${alice.wallet}\n`)
  })

  it('is also accepted with v as 0 or 1', async () => {
    const authSig = await alice.authSig()
    const v = Number.parseInt(authSig.slice(-2), 16) - 27
    expect(await stateWith(alice.wallet, `${authSig.slice(0, -2)}0${v}`)).toBe('accepted')
  })

  it('never appears in a log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const authSig = await alice.authSig()
    await get(`/api/crash?wallet=${alice.wallet}&authSig=${authSig}00`)
    await get(`/api/crash?wallet=${alice.wallet}&authSig=${authSig}`)
    expect(JSON.stringify(logged.mock.calls)).not.toContain(authSig)
  })
})

describe('signed calls are limited by wallet and by address:', () => {
  const MOST = 10

  /** A limiter that accepts each key at most MOST times. */
  function limiter() {
    const counts = new Map<string, number>()
    const limit = async ({ key }: { key: string }) => {
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return { success: count <= MOST }
    }
    return { counts, limit }
  }

  function service() {
    const [reads, money, signed] = [limiter(), limiter(), limiter()]
    const limits = { READS: reads, MONEY_CALLS: money, SIGNED_CALLS: signed }
    const request = (path: string, address: string, init: RequestInit = {}) => {
      const headers = { 'content-type': 'application/json', 'cf-connecting-ip': address }
      const whole = { ...env, ...limits }
      const url = `http://fairhouse.test${path}`
      return app.request(url, { ...init, headers }, whole, createExecutionContext())
    }
    const read = async (player: Player, address: string) => {
      const query = `wallet=${player.wallet}&authSig=${await player.authSig()}`
      return (await request(`/api/crash?${query}`, address)).status
    }
    const act = async (player: Player, address: string, path: string, action: string) => {
      const credentials = { wallet: player.wallet, authSig: await player.authSig() }
      const body = JSON.stringify({ action, ...credentials })
      return (await request(path, address, { method: 'POST', body })).status
    }
    return { reads, money, signed, request, read, act }
  }

  it('fresh wallets at one address share a limit, without affecting other addresses', async () => {
    const { read } = service()
    const players = Array.from({ length: 4 }, (_, index) => new Player(index))
    // They have signed in from elsewhere, so their signatures are already verified.
    for (const player of players) expect((await player.state()).status).toBe(200)
    const statuses: number[] = []
    for (let call = 0; call < MOST + 5; call++) {
      statuses.push(await read(players[call % players.length]!, '203.0.113.7'))
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(MOST)
    expect(statuses.slice(MOST)).toEqual(Array(5).fill(429))
    expect(await read(players[0]!, '203.0.113.8')).toBe(200)
  })

  it('a wallet that is no address counts too', async () => {
    const { signed, request } = service()
    await request('/api/crash?wallet=0x1234&authSig=0x', '203.0.113.7')
    expect(signed.counts.get('203.0.113.7')).toBe(1)
  })

  it('a wallet is limited across all addresses', async () => {
    const { read } = service()
    await alice.state()
    for (let call = 0; call < MOST; call++) {
      expect(await read(alice, `203.0.113.${call}`)).toBe(200)
    }
    expect(await read(alice, '203.0.113.99')).toBe(429)
  })

  it.each([
    ['/api/crash', 'bet'],
    ['/api/crash', 'withdraw'],
    ['/api/entropy', 'play'],
    ['/api/ad-rental', 'rent'],
  ])('POST %s %s is limited as well', async (path, action) => {
    const { money, signed, act } = service()
    await alice.state()
    await act(alice, '203.0.113.7', path, action)
    expect(money.counts.get(alice.wallet)).toBe(1)
    expect(signed.counts.get('203.0.113.7')).toBe(1)
  })
})
