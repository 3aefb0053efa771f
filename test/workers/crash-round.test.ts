import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CrashStream } from '../../durable-objects/crash-stream.ts'
import { crashTable } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import { verifyRound } from '../../src/verify/round.ts'
import {
  fundedPlayer,
  get,
  now,
  openRound,
  pass,
  passFlight,
  secretsOf,
  setTime,
  useStories,
  watch,
  outcomeOf,
  endRound,
} from './support.ts'

useStories()

describe('a crash round', () => {
  it('pays a cash-out at its current multiplier and can be verified afterwards', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    const placed = await alice.bet('100000000')
    expect(placed.body).toMatchObject({
      ok: true,
      roundId: plan.roundId,
      me: { chips: { ETH: '0', USDG: '900000000' }, nonce: 0 },
    })
    expect(placed.body.me.openBet).toEqual({
      roundId: plan.roundId,
      token: 'USDG',
      amountWei: '100000000',
      autoCashout: null,
      placedAt: now(),
    })

    setTime(plan.flightAt + 11_553)
    const cashed = await alice.cashout()
    expect(cashed.body).toMatchObject({
      ok: true,
      roundId: plan.roundId,
      multiplier: 2,
      payout: '200000000',
      me: { chips: { USDG: '1100000000' }, openBet: null },
    })

    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash))
    expect(await watch()).toMatchObject({
      phase: 'results',
      crashPoint: crash / 100,
      multiplier: crash / 100,
    })

    const { body } = await get('/api/crash/verify-seeds')
    expect(body.rounds).toHaveLength(1)
    expect(body.rounds[0].seedHash).toBe(plan.seedHash)
    expect(verifyRound(body.rounds[0], plan).every(({ holds }) => holds)).toBe(true)
    expect(await get('/api/crash?action=verify-seeds')).toMatchObject({ body })
    expect(await crashTable(env).disclosure()).toEqual(body)
  })

  it('takes the stake of a player who stays in too long', async () => {
    const bob = await fundedPlayer(1)
    const plan = await openRound({ max: 500 })
    await bob.bet('100000000')
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash))
    expect(outcomeOf(await bob.cashout())).toEqual([409, 'already_crashed'])
    const { body } = await bob.state()
    expect(body).toMatchObject({
      phase: 'results',
      me: { openBet: null, chips: { USDG: '900000000' } },
    })
    expect(body.history[0]).toEqual({ roundId: plan.roundId, crash: crash / 100 })
    pass(plan.resultsMs)
    expect(await watch()).toMatchObject({
      phase: 'betting',
      roundId: plan.roundId + 1,
      msLeft: 8_000,
    })
  })

  it('is disclosed with the eleven before it, also before the table has recorded its end', async () => {
    const bob = await fundedPlayer(1)
    const plans: RoundPlan[] = []
    for (let ended = 0; ended < 12; ended++) {
      const plan = await openRound({ min: 200, max: 600 })
      await bob.bet('1000000')
      await endRound(plan)
      pass(plan.resultsMs)
      plans.push(plan)
    }
    const plan = await openRound({ min: 200, max: 600 })
    await bob.bet('1000000')
    await passFlight(plan)
    const { rounds } = (await get('/api/crash/verify-seeds')).body
    const newest = [...plans.slice(1), plan].map(({ roundId }) => roundId).toReversed()
    expect(rounds.map(({ roundId }: RoundPlan) => roundId)).toEqual(newest)
  })

  it('sends no wins or results while nobody watches', async () => {
    const report = vi.spyOn(CrashStream.prototype, 'tell')
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 600 })
    await Promise.all([alice.bet('1000000', { autoCashout: 1.5 }), bob.bet('1000000')])
    setTime(plan.flightAt + 1_000)
    await bob.cashout()
    await endRound(plan)
    expect(report).not.toHaveBeenCalled()
  })
})
