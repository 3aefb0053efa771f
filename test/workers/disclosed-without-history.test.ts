import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { crashRound } from '../../src/calls/objects.ts'
import type { RoundPlan } from '../../src/crash/plan.ts'
import { verifyBets } from '../../src/verify/whole-round.ts'
import { CrashRound, CrashTable } from '../../src/worker.ts'
import {
  endRound,
  fundedPlayer,
  get,
  isBlankObject,
  openRound,
  outcomeOf,
  pass,
  restart,
  useStories,
} from './support.ts'

useStories()

const NOT_FOUND = [404, 'not_found']
const FULL =
  "CREATE TRIGGER full BEFORE INSERT ON crash_rounds BEGIN SELECT RAISE(ABORT, 'the database is full'); END"
const EMPTY = 'DELETE FROM crash_rounds; DELETE FROM crash_bets'

/** The history answers no call. */
const goDown = () =>
  vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
    throw new Error('D1 is down')
  })

const ask = (action: string, roundId: number) =>
  get(`/api/crash?action=${action}&roundId=${roundId}`)

/** Expects that a round is disclosed by its number. */
async function expectDisclosed({ roundId, seedHash }: RoundPlan, betCount: number): Promise<void> {
  const whole = await ask('round', roundId)
  expect(whole).toMatchObject({ status: 200, body: { roundId, plan: { seedHash }, betCount } })
  expect(verifyBets(whole.body).filter(({ holds }) => !holds)).toEqual([])
  const seeds = await ask('verify-seeds', roundId)
  expect(seeds.body.rounds).toMatchObject([{ roundId, seedHash, seed: whole.body.seed }])
  const bets = await ask('bets', roundId)
  expect(bets).toMatchObject({ status: 200, body: { betsRoot: whole.body.betsRoot } })
}

describe.each<[string, () => unknown]>([
  ['takes no writes', () => env.HISTORY.exec(FULL)],
  ['is down', goDown],
])('while the history %s', (_how, fail) => {
  it('a round that ends is disclosed, after a restart too', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await fail()
    await endRound(plan)
    await expectDisclosed(plan, 1)
    await restart()
    pass(20 * 60_000)
    await expectDisclosed(plan, 1)
  })

  it('a round that ends without bets is disclosed', async () => {
    const plan = await openRound({ min: 200, max: 600 })
    await fail()
    await endRound(plan)
    await expectDisclosed(plan, 0)
  })
})

describe.each<[string, () => unknown]>([
  ['has lost its rows', () => env.HISTORY.exec(EMPTY)],
  ['is down', goDown],
])('once the history %s', (_how, fail) => {
  it('a round that had erased itself is disclosed, and stores nothing again', async () => {
    const plan = await openRound({ min: 200, max: 600 })
    await endRound(plan)
    await fail()
    await expectDisclosed(plan, 0)
    expect(await isBlankObject(crashRound(env, plan.roundId))).toBe(true)
  })

  describe('strangers', () => {
    let plan: RoundPlan

    beforeEach(async () => {
      plan = await openRound({ min: 200, max: 600 })
      await (await fundedPlayer(0)).bet('1000000')
    })

    it('learn nothing of a round before its end, and wake no round by its number', async () => {
      await fail()
      const result = vi.spyOn(CrashRound.prototype, 'result')
      const asked = vi.spyOn(CrashTable.prototype, 'newestRoundId')
      for (const roundId of [plan.roundId, plan.roundId + 1, 424_242]) {
        for (const action of ['round', 'verify-seeds'])
          expect(outcomeOf(await ask(action, roundId))).toEqual(NOT_FOUND)
      }
      expect(result).not.toHaveBeenCalled()
      expect(asked).toHaveBeenCalledTimes(1)
      expect(await isBlankObject(crashRound(env, 424_242))).toBe(true)
    })

    it('ask the table for ended rounds only within the limit of a network', async () => {
      await endRound(plan)
      await fail()
      const read = vi.spyOn(CrashTable.prototype, 'endedRound')
      vi.spyOn(env.READS, 'limit').mockImplementation(async ({ key }) => ({
        success: key !== 'endedRounds unknown',
      }))
      expect(outcomeOf(await ask('round', plan.roundId))).toEqual([429, 'rate_limited'])
      expect(read).not.toHaveBeenCalled()
    })
  })
})

it('a history that does not answer is given up after a second', async () => {
  const plan = await openRound({ min: 200, max: 600 })
  await endRound(plan)
  const statement = env.HISTORY.prepare('SELECT result FROM crash_rounds WHERE round_id = ?')
  vi.spyOn(Object.getPrototypeOf(statement), 'first').mockReturnValue(new Promise(() => {}))
  expect((await ask('verify-seeds', plan.roundId)).body.rounds).toMatchObject([
    { seedHash: plan.seedHash },
  ])
})

it('an ended round costs the table no call while the history has it', async () => {
  const plan = await openRound({ min: 200, max: 600 })
  await endRound(plan)
  const calls = [
    vi.spyOn(CrashTable.prototype, 'newestRoundId'),
    vi.spyOn(CrashTable.prototype, 'endedRound'),
  ]
  await expectDisclosed(plan, 0)
  for (const call of calls) expect(call).not.toHaveBeenCalled()
})
