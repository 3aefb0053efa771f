import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashRound } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { CrashRound } from '../../src/worker.ts'
import { useOwnBeacon } from './beacon.ts'
import { startIsolate } from './isolate.ts'
import {
  type Answer,
  codeOf,
  fundedPlayer,
  openBeaconRound,
  openRound,
  pass,
  type Player,
  restart,
  secretsOf,
  setTime,
  useStories,
} from './support.ts'

useStories()
useOwnBeacon()

/** Starts an isolate that counts its cash-outs, and may change the answers of rounds. */
async function startCounting() {
  const isolate = await startIsolate()
  const asked = vi.fn<CrashRound['cashOut']>()
  const getByName = (name: string) => ({
    cashOut: async (wallet: string) => {
      void asked(wallet)
      return crashRound(env, Number(name)).cashOut(wallet)
    },
  })
  const cashOut = async (player: Player, fields: object = {}) => {
    const { wallet } = player
    const body = { action: 'cashout', wallet, authSig: await player.authSig(), ...fields }
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return isolate.call('/api/crash', init, { CRASH_ROUND: { getByName } })
  }
  return { ...isolate, asked, cashOut }
}

/** A round with Alice's bet, and an isolate that has seen it. */
async function countedRound(range: Parameters<typeof openRound>[0] = { min: 1_000 }) {
  const isolate = await startCounting()
  const plan = await openRound(range)
  const alice = await fundedPlayer(0)
  await alice.bet('1000000')
  await isolate.watch()
  return { ...isolate, alice, plan }
}

async function times(count: number, call: () => Promise<Answer>) {
  const answers = []
  for (let repeat = 0; repeat < count; repeat++) answers.push(await call())
  return answers
}

describe('repeated cash-outs of a wallet with a bet', () => {
  it.each([
    ['of the named round', true],
    ['of the current round', false],
  ])('%s before take-off ask the round once', async (_, isNamed) => {
    const { cashOut, alice, plan, asked } = await countedRound()
    const fields = isNamed ? { roundId: plan.roundId } : {}
    const answers = await times(10, () => cashOut(alice, fields))
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['not_in_flight']))
    expect(asked).toHaveBeenCalledTimes(1)
    setTime(plan.flightAt)
    expect((await cashOut(alice, fields)).body).toMatchObject({ ok: true, multiplier: 1 })
  })

  it('ask it once in an isolate that has not seen the round, either, after two calls', async () => {
    const { cashOut, asked } = await startCounting()
    // From here on, the other calls of this test run in this one.
    await startIsolate()
    const [plan, alice] = [await openRound({ min: 1_000 }), await fundedPlayer(0)]
    await alice.bet('1000000')
    const { roundId } = plan
    await times(10, () => cashOut(alice, { roundId }))
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('ask it again in the last second before take-off, and while a late beacon may come', async () => {
    const isolate = await startCounting()
    const { cashOut, asked } = isolate
    const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }))
    const alice = await fundedPlayer(0)
    await alice.bet('1000000')
    await isolate.watch()
    setTime(plan.flightAt - 1_001)
    await times(3, () => cashOut(alice))
    expect(asked).toHaveBeenCalledTimes(1)
    for (const [index, at] of [plan.flightAt - 1_000, plan.flightAt + 10_000].entries()) {
      setTime(at)
      await isolate.watch()
      expect(codeOf(await cashOut(alice))).toBe('not_in_flight')
      expect(asked).toHaveBeenCalledTimes(2 + index)
    }
  })

  it('ask it again if the clock of the isolate has stepped back', async () => {
    const { cashOut, alice, asked } = await countedRound()
    await cashOut(alice)
    pass(-2_000)
    await cashOut(alice, {})
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('after the crash ask it once', async () => {
    const { cashOut, alice, plan, asked } = await countedRound({ min: 200, max: 300 })
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash))
    const { roundId } = plan
    const answers = await times(10, () => cashOut(alice, { roundId }))
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['already_crashed']))
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('after a win get the same payment, and the chips as they are now, without the round', async () => {
    const { cashOut, alice, plan, asked } = await countedRound({ min: 200, max: 300 })
    setTime(plan.flightAt + 5_000)
    const first = await cashOut(alice)
    expect(first.body).toMatchObject({ ok: true, multiplier: 1.34, payout: '1340000' })
    pass(1_000)
    for (const again of await times(10, () => cashOut(alice)))
      expect(again.body).toEqual(first.body)
    expect(asked).toHaveBeenCalledTimes(1)
    await alice.fund('5')
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash))
    const { roundId } = plan
    const { body } = await cashOut(alice, { roundId })
    expect(body.me).toEqual((await alice.state()).body.me)
    expect(body.me.chips.USDG).toBe('1000340005')
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('show after a restart that the ledger has been paid once', async () => {
    const { cashOut, alice, plan } = await countedRound({ min: 200, max: 300 })
    setTime(plan.flightAt + 5_000)
    const first = await cashOut(alice)
    await restart()
    expect((await cashOut(alice)).body).toEqual(first.body)
    expect(await alice.chips()).toBe('1000340000')
  })
})
