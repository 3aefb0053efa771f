import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { flightMs } from '../../src/crash/curve.ts'
import * as drand from '../../src/fairness/drand.ts'
import { verifyRound } from '../../src/verify/round.ts'
import { signBeacon, useOwnBeacon } from './beacon.ts'
import {
  fundedPlayer,
  get,
  now,
  openBeaconRound,
  openRound,
  pass,
  post,
  ringRound,
  secretsOf,
  setTime,
  useStories,
  watch,
  codeOf,
} from './support.ts'
import { Viewer } from './viewer.ts'

useStories()
useOwnBeacon()

/** A round with a bet by Alice, whose beacon is missing from every relay. */
async function forsakenRound() {
  const alice = await fundedPlayer(0)
  const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }))
  await alice.bet('1000000', { autoCashout: 1.01 })
  return { alice, plan, signature: signBeacon(plan.beacon) }
}

const bring = (roundId: number, signature: string) =>
  post('/api/crash', { action: 'beacon', roundId, signature })

const rounds = async () => (await listDurableObjectIds(env.CRASH_ROUND)).length

describe('a late beacon', () => {
  it('submitted by anyone without a wallet lets the round take off and be verified', async () => {
    const { alice, plan, signature } = await forsakenRound()
    const { roundId } = plan
    setTime(plan.flightAt + 30_000)
    await ringRound(roundId)
    expect(await watch()).toMatchObject({ phase: 'betting', msLeft: 0 })
    expect((await bring(roundId, signature)).body).toEqual({ ok: true, roundId, accepted: true })
    pass(250)
    expect(await watch()).toMatchObject({ phase: expect.stringMatching('flight|results') })
    setTime(now() + flightMs((await secretsOf(roundId)).crash))
    const { crashPoint } = await watch()
    const chips = crashPoint > 1 ? '1000010000' : '999000000'
    expect(await alice.chips()).toBe(chips)
    const { body } = await get('/api/crash/verify-seeds')
    expect(body).toMatchObject({ rounds: [{ roundId, signature }], voided: [] })
    expect(verifyRound(body.rounds[0], plan).filter(({ holds }) => !holds)).toEqual([])
  })

  it('shows viewers the take-off at once, not at the next query for the beacon', async () => {
    const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }), 300)
    setTime(plan.flightAt + 3_000)
    const set = globalThis.setTimeout
    // Longer timers do nothing, so a take-off that waits for the next query is never heard.
    const timers = vi.spyOn(globalThis, 'setTimeout')
    timers.mockImplementation((call, ms = 0) => set(ms < 1_000 ? call : () => {}, ms))
    const viewer = await Viewer.connect()
    pass(100)
    expect((await bring(plan.roundId, signBeacon(plan.beacon))).body.accepted).toBe(true)
    const [phase] = await viewer.hears('phase')
    expect(phase).toMatchObject({ phase: 'flight', flightAt: now() })
  })

  it('is accepted once', async () => {
    const { plan, signature } = await forsakenRound()
    const { roundId } = plan
    setTime(plan.flightAt - 500)
    const answers = await Promise.all([1, 2, 3].map(() => bring(roundId, signature)))
    const accepted = answers.map(({ body }) => body.accepted)
    expect(accepted.filter(Boolean)).toHaveLength(1)
    const { crash } = await secretsOf(roundId)
    for (const at of [plan.flightAt, plan.flightAt + flightMs(crash)]) {
      setTime(at)
      expect((await bring(roundId, signature)).body).toEqual({ ok: true, roundId, accepted: false })
    }
  })

  it('with a wrong signature is refused, and verified once', async () => {
    const { plan } = await forsakenRound()
    setTime(plan.flightAt)
    const verify = vi.spyOn(drand.QUICKNET, 'publicKey', 'get')
    const wrong = signBeacon(plan.beacon + 1)
    for (let tries = 0; tries < 5; tries++) {
      expect(codeOf(await bring(plan.roundId, wrong))).toBe('signature_invalid')
    }
    expect(verify).toHaveBeenCalledOnce()
    expect(await watch()).toMatchObject({ phase: 'betting', roundId: plan.roundId })
  })

  it('is not verified once the round has taken off', async () => {
    const { plan, signature } = await forsakenRound()
    const { roundId } = plan
    setTime(plan.flightAt)
    await bring(roundId, signature)
    pass(250)
    const verify = vi.spyOn(drand.QUICKNET, 'publicKey', 'get')
    for (const other of [1, 2, 3]) {
      const { body } = await bring(roundId, signBeacon(plan.beacon + other))
      expect(body).toEqual({ ok: true, roundId, accepted: false })
    }
    expect(verify).not.toHaveBeenCalled()
  })

  it('counts against the limit of the submitting network if it must be verified', async () => {
    const { plan, signature } = await forsakenRound()
    setTime(plan.flightAt)
    const limit = async ({ key }: { key: string }) => ({ success: key !== 'beacons 2001:db8:1' })
    const bringFrom = async (address: string, brought: string) => {
      const body = { action: 'beacon', roundId: plan.roundId, signature: brought }
      const headers = { 'content-type': 'application/json', 'cf-connecting-ip': address }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const vars = { ...env, MONEY_CALLS: { limit } }
      return (await app.request('/api/crash', init, vars)).status
    }
    const verify = vi.spyOn(drand.QUICKNET, 'publicKey', 'get')
    const [wrong, ours] = [signBeacon(plan.beacon + 1), '2001:db8:1:2::3']
    expect(await bringFrom(ours, wrong)).toBe(429)
    expect(await bringFrom(ours, signature)).toBe(429)
    expect(verify).not.toHaveBeenCalled()
    expect(await bringFrom('2001:db8:2::1', wrong)).toBe(422)
    expect(await bringFrom(ours, wrong)).toBe(422)
    expect(verify).toHaveBeenCalledOnce()
  })

  it('is not requested before bets have closed', async () => {
    const { plan, signature } = await forsakenRound()
    setTime(plan.betsCloseAt - 1)
    expect(codeOf(await bring(plan.roundId, signature))).toBe('not_found')
    setTime(plan.betsCloseAt)
    expect((await bring(plan.roundId, signature)).body.accepted).toBe(true)
  })

  it('is too late for a voided round', async () => {
    const { alice, plan, signature } = await forsakenRound()
    setTime(plan.voidAt)
    expect(codeOf(await bring(plan.roundId, signature))).toBe('not_found')
    expect(await alice.chips()).toBe('1000000000')
  })

  it('for any other round is not found, and affects no round', async () => {
    const { plan, signature } = await forsakenRound()
    setTime(plan.flightAt)
    const before = await rounds()
    for (const roundId of [plan.roundId + 1, 4_711, Number.MAX_SAFE_INTEGER]) {
      expect(codeOf(await bring(roundId, signature))).toBe('not_found')
    }
    expect(await rounds()).toBe(before)
  })

  it('is not found if the pepper is not a beacon', async () => {
    const plan = await openRound({ min: 200 })
    setTime(plan.flightAt + 100)
    expect(codeOf(await bring(plan.roundId, signBeacon(1)))).toBe('not_found')
  })

  it.each([
    ['no signature', { signature: undefined }],
    ['a signature in capitals', { signature: 'AB'.repeat(48) }],
    ['a signature that is too short', { signature: 'ab'.repeat(47) }],
    ['no round', { roundId: undefined }],
    ['an invalid round', { roundId: 0 }],
  ])('with %s is an invalid request', async (_what, fields) => {
    const body = { action: 'beacon', roundId: 1, signature: 'ab'.repeat(48), ...fields }
    expect(codeOf(await post('/api/crash', body))).toBe('invalid_request')
  })

  it('counts against the limit of the submitting address', async () => {
    const counted: string[] = []
    const limit = async ({ key }: { key: string }) => (counted.push(key), { success: false })
    const response = await app.request(
      '/api/crash',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'cf-connecting-ip': '192.0.2.7' },
        body: JSON.stringify({ action: 'beacon', roundId: 1, signature: 'ab'.repeat(48) }),
      },
      { ...env, MONEY_CALLS: { limit } },
    )
    expect(response.status).toBe(429)
    expect(counted).toEqual(['192.0.2.7'])
  })
})
