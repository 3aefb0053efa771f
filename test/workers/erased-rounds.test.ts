import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { crashRound, crashTable, reprojection } from '../../src/calls/objects.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import { sweep } from '../../src/sweep.ts'
import { CrashRound, CrashTable } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  holdAnswer,
  isBlankObject,
  openRound,
  pass,
  passFlight,
  restart,
  ringRound,
  setTime,
  useStories,
  watch,
} from './support.ts'

useStories()

const RANGE = { min: 200, max: 600 }
const WALLET = '0x0000000000000000000000000000000000000001'

const orderOf = ({ roundId }: RoundPlan) =>
  ({
    betId: `${roundId}:${WALLET}:0`,
    wallet: WALLET,
    token: 'USDG',
    amountWei: 10_000n,
    autoCashout: null,
  }) as const

const isErased = ({ roundId }: RoundPlan) => isBlankObject(crashRound(env, roundId))

/** Forgets what the round has in memory. */
const forget = ({ roundId }: RoundPlan) => evictDurableObject(crashRound(env, roundId))

describe.each([false, true])(
  'a round that nobody bet in, forgotten from memory: %s',
  (isForgotten) => {
    let plan: RoundPlan

    beforeEach(async () => {
      plan = await openRound(RANGE)
      await endRound(plan)
      if (isForgotten) await forget(plan)
    })

    it('leaves nothing in its object once the table and the history have it', async () => {
      expect(await isErased(plan)).toBe(true)
    })

    it('is disclosed by its number, and shown among the results', async () => {
      const { body } = await get(`/api/crash/verify-seeds?roundId=${plan.roundId}`)
      expect(body.rounds).toMatchObject([{ roundId: plan.roundId, seedHash: plan.seedHash }])
      expect(await watch()).toMatchObject({
        phase: 'results',
        roundId: plan.roundId,
        history: [{ roundId: plan.roundId, crash: body.rounds[0].crash }],
      })
    })

    it('refuses a late bet and a late cash-out, and stores nothing again', async () => {
      const round = crashRound(env, plan.roundId)
      expect(codeOf({ body: await round.place(orderOf(plan)) })).toBe('betting_closed')
      expect(codeOf({ body: await round.cashOut(WALLET) })).toBe('no_open_bet')
      expect(await round.takeBeacon('00')).toBe(false)
      expect(await round.sweep()).toBe(0)
      expect(await isErased(plan)).toBe(true)
    })

    it('reports a bet as never placed, and refuses it from then on', async () => {
      const round = crashRound(env, plan.roundId)
      const { betId } = orderOf(plan)
      for (let repetition = 0; repetition < 2; repetition++) {
        expect(await round.outcome(betId)).toEqual({ kind: 'never_placed' })
        expect(await round.place(orderOf(plan))).toMatchObject({ ok: false })
        await forget(plan)
      }
    })

    it('is never opened again: the next round follows', async () => {
      await restart()
      for (let read = 0; read < 3; read++) {
        expect(await watch()).toMatchObject({ roundId: plan.roundId + 1, phase: 'betting' })
        await sweep(env)
        await crashTable(env).disclosure()
      }
      expect(await isErased(plan)).toBe(true)
    })

    it('is restored after D1 is lost', async () => {
      const rows = async () =>
        (await env.HISTORY.prepare('SELECT * FROM crash_rounds ORDER BY round_id').all()).results
      const before = await rows()
      expect(before).toHaveLength(1)
      await env.HISTORY.exec('DELETE FROM crash_rounds')
      await reprojection(env).start('everything')
      while ((await reprojection(env).progress()).finishedAt === null) {
        await runDurableObjectAlarm(reprojection(env))
        pass(1_000)
      }
      expect(await rows()).toEqual(before)
    })
  },
)

describe('a round that nobody bet in keeps its storage', () => {
  it('until the history has it', async () => {
    const plan = await openRound(RANGE)
    await env.HISTORY.exec('ALTER TABLE crash_rounds RENAME TO away')
    await endRound(plan)
    expect(await isErased(plan)).toBe(false)
    await env.HISTORY.exec('ALTER TABLE away RENAME TO crash_rounds')
    await restart()
    pass(5_000)
    // Its alarm may be lost too.
    await sweep(env)
    expect(await isErased(plan)).toBe(true)
    const { results } = await env.HISTORY.prepare('SELECT round_id FROM crash_rounds').all()
    expect(results).toContainEqual({ round_id: plan.roundId })
  })

  it('until the table has it', async () => {
    const plan = await openRound(RANGE)
    const recordEnd = vi.spyOn(CrashTable.prototype, 'recordEnd')
    recordEnd.mockRejectedValue(new Error('overloaded'))
    await endRound(plan)
    expect(await isErased(plan)).toBe(false)
    recordEnd.mockRestore()
    await restart()
    pass(5_000)
    await ringRound(plan.roundId)
    expect(await isErased(plan)).toBe(true)
    expect(await watch()).toMatchObject({ roundId: plan.roundId + 1 })
  })

  it('until a look of the table at this round has ended, which would open it again', async () => {
    const plan = await openRound(RANGE)
    const open = Reflect.get(CrashRound.prototype, 'open')
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    vi.spyOn(CrashRound.prototype, 'open').mockImplementationOnce(async function (
      this: CrashRound,
    ) {
      await isReleased
      return open.call(this, {})
    })
    const look = crashTable(env).snapshot()
    await passFlight(plan)
    const rung = ringRound(plan.roundId)
    await vi.waitFor(
      async () => expect(await crashTable(env).newestRoundId()).toBe(plan.roundId),
      SOON,
    )
    expect(await isErased(plan)).toBe(false)
    release()
    await rung
    expect((await look).plan.seedHash).toBe(plan.seedHash)
    expect(await isErased(plan)).toBe(true)
  })

  it('if deleting it fails, and deletes it later', async () => {
    const plan = await openRound(RANGE)
    await runInDurableObject(crashRound(env, plan.roundId), (_, { storage }) => {
      vi.spyOn(Object.getPrototypeOf(storage) as typeof storage, 'deleteAll').mockRejectedValueOnce(
        new Error('disk'),
      )
    })
    await passFlight(plan)
    await expect(ringRound(plan.roundId)).rejects.toThrow('disk')
    await restart()
    await crashRound(env, plan.roundId).sweep()
    expect(await isErased(plan)).toBe(true)
  })
})

describe('a round with a bet', () => {
  it('keeps its storage', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound(RANGE)
    await alice.bet('1000000')
    await endRound(plan)
    await sweep(env)
    expect(await isErased(plan)).toBe(false)
  })
})

describe('a look that the end of its round overtakes', () => {
  it('shows the results: no flight has its own crash in the history', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound(RANGE)
    await alice.bet('1000000')
    setTime(plan.flightAt)
    const open = Reflect.get(CrashRound.prototype, 'open')
    const held = holdAnswer()
    vi.spyOn(CrashRound.prototype, 'open').mockImplementationOnce(async function (
      this: CrashRound,
    ) {
      return held.after(await open.call(this, {}))
    })
    const look = crashTable(env).snapshot()
    await held.isGiven()
    await passFlight(plan)
    const rung = ringRound(plan.roundId)
    await vi.waitFor(
      async () => expect(await crashTable(env).newestRoundId()).toBe(plan.roundId),
      SOON,
    )
    held.release()
    await rung
    const { stage, history } = await look
    expect([stage, history.map(({ roundId }) => roundId)]).toEqual(['results', [plan.roundId]])
  })
})

describe('a table that restarts while results are shown', () => {
  it('shows them to their end', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound(RANGE)
    await alice.bet('1000000')
    await endRound(plan)
    const results = { roundId: plan.roundId, phase: 'results' }
    expect(await watch()).toMatchObject(results)
    await restart()
    expect(await watch()).toMatchObject(results)
    pass(5_000)
    expect(await watch()).toMatchObject({ roundId: plan.roundId + 1, phase: 'betting' })
  })
})

describe('a table that was restored to an earlier time', () => {
  const restoreTable = async (plan: RoundPlan) => {
    await runInDurableObject(crashTable(env), (_, { storage }) => {
      storage.sql.exec('DELETE FROM rounds WHERE round_id >= ?', plan.roundId)
    })
    await restart()
    pass(60_000)
  }

  it('records the erased rounds again and opens the next one, with no number used twice', async () => {
    const first = await openRound(RANGE)
    await endRound(first)
    pass(5_000)
    await watch()
    const second = await openRound(RANGE)
    await endRound(second)
    await restoreTable(first)
    expect(await watch()).toMatchObject({ roundId: second.roundId + 1, phase: 'betting' })
    const { body } = await get(`/api/crash/verify-seeds?roundId=${first.roundId}`)
    expect(body.rounds).toMatchObject([{ seedHash: first.seedHash }])
  })

  it('records the rounds before the one whose end it learns of next', async () => {
    const alice = await fundedPlayer(0)
    const play = async (isBetOn: boolean) => {
      const plan = await openRound(RANGE)
      if (isBetOn) await alice.bet('1000000')
      await endRound(plan)
      pass(5_000)
      await watch()
      return plan
    }
    const [first, second] = [await play(true), await play(false)]
    const running = await openRound(RANGE)
    await alice.bet('1000000')
    await restoreTable(first)
    await ringRound(running.roundId)
    const numbers = [first, second, running].map(({ roundId }) => roundId)
    const known = await Promise.all(numbers.map((roundId) => crashTable(env).endedRound(roundId)))
    expect(known.map((result) => result?.roundId)).toEqual(numbers)
  })

  it('records no round of the history that the public log has not planned', async () => {
    const plan = await openRound(RANGE)
    await endRound(plan)
    pass(5_000)
    const roundId = plan.roundId + 1
    const result = { kind: 'settled', roundId, seedHash: 'ab'.repeat(32), crash: 100, betCount: 0 }
    await env.HISTORY.prepare(
      `INSERT INTO crash_rounds (round_id, kind, bet_count, opened_at, ended_at, result)
       VALUES (?, 'settled', 0, 0, 0, ?)`,
    )
      .bind(roundId, JSON.stringify(result))
      .run()
    expect(await watch()).toMatchObject({ roundId, phase: 'betting' })
  })

  it('opens rounds while the history cannot be read', async () => {
    const plan = await openRound(RANGE)
    await endRound(plan)
    pass(5_000)
    const down = vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await watch()).toMatchObject({ roundId: plan.roundId + 1, phase: 'betting' })
    down.mockRestore()
  })
})
