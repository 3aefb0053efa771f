import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { crashRound, crashStream, crashTable } from '../../src/calls/objects.ts'
import { CrashTable, TransparencyLog } from '../../src/worker.ts'
import {
  endRound,
  fundedPlayer,
  now,
  openRound,
  pass,
  ringRound,
  setTime,
  useStories,
} from './support.ts'
import { fireTimersAtOnce } from './timers.ts'
import { ringStream } from './viewer.ts'
import { breakDown, brief, takeOff, watchedRound } from './watched-round.ts'

useStories()

/** What the simulation has found at the live stream, in the real runtime: see reference/simulation-results.md. */
describe('the live stream', () => {
  it('does not go back to the flight if the table has a new mode and a clock that is behind', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    const { roundId } = plan
    await takeOff(plan)
    const flying = await crashTable(env).snapshot('stream')
    expect(flying.stage).toBe('flight')
    setTime(crashAt)
    await ringRound(roundId)
    await viewers[0].hears('history')
    const crashed = await crashTable(env).snapshot('stream')
    fireTimersAtOnce(350)
    const read = vi.spyOn(CrashTable.prototype, 'snapshot')
    read.mockResolvedValueOnce({ ...flying, mode: 'closed' })
    read.mockResolvedValueOnce({ ...crashed, mode: 'closed' })
    await crashStream(env).lookAgain()
    for (const viewer of viewers) {
      await viewer.all()
      expect(brief(viewer)).toEqual([
        'snapshot',
        `${roundId} flight`,
        `${roundId} results`,
        `history ${roundId}`,
        'snapshot',
      ])
      expect((await viewer.hears('snapshot', 2))[1]?.state).toMatchObject({
        phase: 'results',
        mode: 'closed',
      })
    }
  })

  it.each([0, 1])(
    'sends each of two cash-outs around a restart of their round once, bet %i first',
    async (first) => {
      const players = [await fundedPlayer(0), await fundedPlayer(1)] as const
      const { plan, viewers } = await watchedRound()
      for (const player of players) await player.bet('1000000')
      await takeOff(plan)
      pass(1_000)
      const earlier = players[first] ?? players[0]
      const later = players[1 - first] ?? players[1]
      await earlier.cashout()
      await viewers[0].hears('win')
      await breakDown(crashRound(env, plan.roundId))
      // In the same millisecond: the clock of the new instance may be behind.
      await later.cashout()
      await breakDown(crashRound(env, plan.roundId))
      await ringStream()
      const wins = await viewers[0].hears('win', 2)
      expect(wins.map(({ win }) => win.wallet)).toEqual([earlier.wallet, later.wallet])
    },
  )

  it('hears nothing of a round that discarded itself after being reopened', async () => {
    const plan = await openRound()
    const round = crashRound(env, plan.roundId)
    await endRound(plan)
    await evictDurableObject(round)
    pass(plan.resultsMs)
    vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    const append = vi.spyOn(TransparencyLog.prototype, 'append')
    append.mockRejectedValue(new Error('the log is down'))
    expect(await round.open({})).toMatchObject({ stage: 'waiting' })
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: now() })
    const report = await round.follow(0)
    const closesInMs = (report?.plan.betsCloseAt ?? 0) - now()
    append.mockRestore()
    pass(1_000)
    expect(await round.open({})).toMatchObject({ kind: 'settled', seedHash: plan.seedHash })
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    // Its timer was set for the close of bets.
    await runInDurableObject(round, () => vi.advanceTimersByTimeAsync(closesInMs))
    expect(logged.mock.calls.join()).not.toContain('stream_report_failed')
  })
})
