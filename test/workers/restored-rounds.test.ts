import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { crashRound, crashTable, reprojection } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import type { RoundResult } from '../../src/crash/result.ts'
import { TransparencyLog } from '../../src/worker.ts'
import { publishedBeacon, signBeacon, useOwnBeacon } from './beacon.ts'
import { changeObjectConfig } from './configuration.ts'
import { loggedEntries } from './public-log.ts'
import {
  endRound,
  fundedPlayer,
  get,
  isBlankObject,
  now,
  openBeaconRound,
  openRound,
  pass,
  type Player,
  restart,
  ringLedger,
  ringRound,
  secretsOf,
  setTime,
  useStories,
  watch,
} from './support.ts'

useStories()
useOwnBeacon()

const kindsOf = async ({ roundId }: RoundPlan) =>
  (await loggedEntries()).filter(({ id }) => id === String(roundId)).map(({ kind }) => kind)

const resultOf = ({ roundId }: RoundPlan) => crashRound(env, roundId).result()

/** Brings a round's object back to a time before it has its beacon. */
async function restoreRound({ roundId }: RoundPlan): Promise<void> {
  const stub = crashRound(env, roundId)
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      `UPDATE round SET pepper = NULL, pepper_at = NULL, signature = NULL, status = 'live',
         is_closed = 0, ended_at = NULL, pending = NULL`,
    )
    storage.sql.exec('UPDATE bets SET cashout = NULL, cashed_out_at = NULL')
  })
  await evictDurableObject(stub)
}

const historyFails = () =>
  vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
    throw new Error('D1 is down')
  })

describe('an ended round whose object is restored to before its beacon', () => {
  let winner: Player
  let loser: Player
  let plan: RoundPlan
  let ended: RoundResult | null

  beforeEach(async () => {
    ;[winner, loser] = [await fundedPlayer(0), await fundedPlayer(1)]
    plan = await openBeaconRound(publishedBeacon)
    await winner.bet('1000000', { autoCashout: 1.01 })
    await loser.bet('1000000')
    // The beacon is late, so the flight begins later than planned.
    setTime(plan.flightAt + 1_234)
    await ringRound(plan.roundId)
    setTime(now() + flightMs((await secretsOf(plan.roundId)).crash))
    await ringRound(plan.roundId)
    ended = await resultOf(plan)
    expect(ended?.kind).toBe('settled')
    // A long flight ends after the deadline.
    setTime(Math.max(now(), plan.voidAt))
    await restoreRound(plan)
  })

  it('ends as it did, and refunds no bet', async () => {
    await ringRound(plan.roundId)
    expect(await resultOf(plan)).toEqual(ended)
    expect(await kindsOf(plan)).toEqual(['plan', 'bets', 'end'])
    // Losers' ledgers ask.
    await ringLedger(loser)
    expect(await loser.chips()).toBe('999000000')
    expect(await winner.chips()).not.toBe('1000000000')
  })

  it('knows from the public log that it has ended if the history does not answer', async () => {
    const down = historyFails()
    expect(await resultOf(plan)).toEqual(ended)
    down.mockRestore()
  })

  it('knows from the history that it has ended if the public log does not answer', async () => {
    vi.spyOn(TransparencyLog.prototype, 'find').mockRejectedValue(new Error('the log is down'))
    expect(await resultOf(plan)).toEqual(ended)
  })

  it('refunds nothing before one of them answers', async () => {
    const down = historyFails()
    const silent = vi.spyOn(TransparencyLog.prototype, 'find')
    silent.mockRejectedValue(new Error('the log is down'))
    const asked = crashRound(env, plan.roundId).result()
    expect(await asked.then(() => 'answered', String)).toContain('the log is down')
    down.mockRestore()
    silent.mockRestore()
    expect(await resultOf(plan)).toEqual(ended)
  })

  it('refunds nothing before the history answers if there is no public log', async () => {
    await changeObjectConfig(crashTable(env), () => ({ log: null }))
    const down = historyFails()
    const asked = crashRound(env, plan.roundId).result()
    expect(await asked.then(() => 'answered', String)).toContain('D1 is down')
    down.mockRestore()
    expect(await resultOf(plan)).toEqual(ended)
  })
})

describe('a round that restarts after its deadline without a beacon', () => {
  let alice: Player
  let plan: Awaited<ReturnType<typeof openBeaconRound>>

  beforeEach(async () => {
    alice = await fundedPlayer(0)
    plan = await openBeaconRound(() => new Response('not yet', { status: 404 }))
    await alice.bet('1000000')
    setTime(plan.voidAt)
  })

  async function expectVoided(): Promise<void> {
    await ringRound(plan.roundId)
    expect(await kindsOf(plan)).toEqual(['plan', 'bets', 'void'])
    expect(await alice.chips()).toBe('1000000000')
  }

  it('is voided: neither the history nor the public log has its end', async () => {
    await restart()
    await expectVoided()
  })

  it.each([
    ['another seed', () => ({ seedHash: 'ab'.repeat(32) })],
    ['the beacon of another time', () => ({ signature: signBeacon(plan.beacon + 1) })],
    ['a pepper of the house', () => ({ signature: null })],
    ['a take-off after the deadline', () => ({ takeoffAt: plan.voidAt })],
  ])(
    'takes no beacon from a round of the history that had its number and %s',
    async (_what, other) => {
      const { roundId, seedHash, beacon, flightAt: takeoffAt } = plan
      const flown = { pepper: 'cd'.repeat(32), signature: signBeacon(beacon), takeoffAt }
      const result = { kind: 'settled', roundId, seedHash, ...flown, ...other() }
      await env.HISTORY.prepare(
        `INSERT INTO crash_rounds (round_id, kind, bet_count, opened_at, ended_at, result)
       VALUES (?, 'settled', 0, 0, 0, ?)`,
      )
        .bind(roundId, JSON.stringify(result))
        .run()
      await restart()
      await expectVoided()
    },
  )
})

describe('a table and a history that were restored to an earlier time', () => {
  const restoreBoth = async ({ roundId }: RoundPlan) => {
    await runInDurableObject(crashTable(env), (_, { storage }) => {
      storage.sql.exec('DELETE FROM rounds WHERE round_id >= ?', roundId)
    })
    await env.HISTORY.prepare('DELETE FROM crash_rounds WHERE round_id >= ?').bind(roundId).run()
    await restart()
    pass(60_000)
  }

  /** Plays a round, with a bet or without, to the end of its results. */
  const play = async (bettor: Player | null = null) => {
    const plan = await openRound({ min: 200, max: 600 })
    await bettor?.bet('1000000')
    await endRound(plan)
    expect(await isBlankObject(crashRound(env, plan.roundId))).toBe(bettor === null)
    pass(5_000)
    return plan
  }

  const known = ({ roundId }: RoundPlan) => crashTable(env).endedRound(roundId)

  it('go on with the next round, and have the erased ones as the public log has them', async () => {
    const alice = await fundedPlayer(0)
    const plans = [await play(), await play(alice), await play()]
    const before = await Promise.all(plans.map(known))
    const [first, , last] = plans
    await restoreBoth(first as RoundPlan)
    expect(await watch()).toMatchObject({ roundId: Number(last?.roundId) + 1, phase: 'betting' })
    expect(await Promise.all(plans.map(known))).toEqual(before)
  })

  it('have a voided round that nobody bet in as the public log has it', async () => {
    const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }))
    setTime(plan.voidAt)
    await ringRound(plan.roundId)
    const before = await known(plan)
    await restoreBoth(plan)
    await watch()
    expect(before?.kind).toBe('voided')
    expect(await known(plan)).toEqual(before)
  })

  it('have the rounds before the one that ends next', async () => {
    const alice = await fundedPlayer(0)
    const [first, second] = [await play(), await play()]
    const running = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000')
    await restoreBoth(first)
    await ringRound(running.roundId)
    const results = await Promise.all([first, second, running].map(known))
    expect(results.map((result) => result?.roundId)).toEqual(
      [first, second, running].map(({ roundId }) => roundId),
    )
  })

  it('go on even if the answer with the end of an erased round is lost', async () => {
    const plan = await play()
    await restoreBoth(plan)
    const round = crashRound(env, plan.roundId)
    const answers = [await round.open({}), await round.open({})]
    expect(answers).toMatchObject([{ kind: 'settled' }, { kind: 'settled' }])
    expect((await watch()).roundId).toBe(plan.roundId + 1)
  })

  it('write the erased rounds to the history again on an order', async () => {
    const plan = await play()
    await restoreBoth(plan)
    await watch()
    await reprojection(env).start('everything')
    while ((await reprojection(env).progress()).finishedAt === null) {
      await runDurableObjectAlarm(reprojection(env))
      pass(1_000)
    }
    const { body } = await get(`/api/crash/verify-seeds?roundId=${plan.roundId}`)
    expect(body.rounds).toMatchObject([{ seedHash: plan.seedHash }])
    const { results } = await env.HISTORY.prepare('SELECT round_id FROM crash_rounds').all()
    expect(results).toContainEqual({ round_id: plan.roundId })
  })
})
