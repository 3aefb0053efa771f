import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CrashRound } from '../../durable-objects/crash-round.ts'
import type { CrashStream } from '../../durable-objects/crash-stream.ts'
import { CrashTable } from '../../durable-objects/crash-table.ts'
import { Relayer } from '../../durable-objects/relayer.ts'
import { crashRound, crashStream, crashTable } from '../../src/calls/objects.ts'
import type { RoundReport } from '../../src/crash/state.ts'
import { pass, ringRound, setTime, useStories } from './support.ts'
import { fireTimersAtOnce } from './timers.ts'
import { ringStream, Viewer } from './viewer.ts'
import {
  breakDown,
  brief,
  configureVault,
  crashedRound,
  takeOff,
  viewerCount,
  watchedRound,
} from './watched-round.ts'

useStories()

/** Tells the stream of a report while its disk refuses to store what it has told. */
async function tellOnFullDisk(report: RoundReport): Promise<void> {
  await runInDurableObject(crashStream(env), async (stream: CrashStream, { storage }) => {
    const prototype = Object.getPrototypeOf(storage.sql) as SqlStorage
    const exec: (this: SqlStorage, query: string, ...bindings: unknown[]) => unknown = Reflect.get(
      prototype,
      'exec',
    )
    const spy = vi.spyOn(prototype, 'exec')
    spy.mockImplementation(function (this: SqlStorage, query, ...bindings: unknown[]) {
      if (query.includes('INTO told')) throw new Error('database or disk is full')
      return exec.call(this, query, ...bindings) as never
    })
    await expect(stream.tell(report)).rejects.toThrow('disk is full')
    spy.mockRestore()
  })
}

/** Returns what a round reports now. */
async function reportOf(roundId: number): Promise<RoundReport> {
  const report = await crashRound(env, roundId).follow(0)
  if (!report) throw new Error(`round ${roundId} is not open`)
  return report
}

describe('the stream, while something fails,', () => {
  it('goes on while the relayer’s object does not answer', async () => {
    const { plan, viewers } = await crashedRound()
    vi.spyOn(Relayer.prototype, 'conditions').mockReturnValue(new Promise(() => {}))
    await configureVault('31337:silent')
    pass(plan.resultsMs)
    await ringStream()
    const phases = await viewers[0].hears('phase', 3)
    expect(phases.at(-1)).toMatchObject({ roundId: plan.roundId + 1, phase: 'betting' })
  })

  it('gives up a read of the table that is not answered, and reads it again', async () => {
    const { plan, viewers } = await crashedRound()
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    fireTimersAtOnce()
    const read = vi.spyOn(CrashTable.prototype, 'snapshot')
    read.mockReturnValueOnce(new Promise(() => {}))
    pass(plan.resultsMs)
    await ringStream()
    expect(logged.mock.calls.join()).toContain('stream_table_read_failed')
    pass(1_000)
    await ringStream()
    await viewers[0].hears('phase', 3)
  })

  it('gives up a round that does not answer, and reads the table', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await takeOff(plan)
    fireTimersAtOnce()
    const follow = vi.spyOn(CrashRound.prototype, 'follow')
    follow.mockReturnValueOnce(new Promise(() => {}))
    setTime(crashAt)
    await ringStream()
    await viewers[0].hears('history')
  })

  it('disconnects its viewers if it cannot store what it has sent, and repeats nothing to later ones', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    const { roundId } = plan
    await takeOff(plan)
    setTime(crashAt)
    const crash = await reportOf(roundId)
    await tellOnFullDisk(crash)
    expect(await viewerCount()).toBe(0)
    for (const viewer of viewers) {
      await viewer.closed
      expect(brief(viewer)).toEqual([
        'snapshot',
        `${roundId} flight`,
        `${roundId} results`,
        `history ${roundId}`,
      ])
    }
    const later = await Viewer.connect()
    await evictDurableObject(crashStream(env))
    await crashStream(env).tell(crash)
    await later.all()
    expect(brief(later)).toEqual(['snapshot'])
  })

  it('lets time pass before it reads again a table that is behind, and then connects the viewer', async () => {
    const { plan, crashAt } = await watchedRound()
    setTime(crashAt)
    await ringRound(plan.roundId)
    // The table still shows the results, although the round has read a clock that is past their end.
    const shown = await crashTable(env).snapshot('stream')
    const behind = { ...shown, asOf: shown.asOf + plan.resultsMs }
    pass(plan.resultsMs)
    await ringStream()
    const timers = fireTimersAtOnce()
    const read = vi.spyOn(CrashTable.prototype, 'snapshot')
    read.mockResolvedValueOnce(behind).mockResolvedValueOnce(behind)
    const viewer = await Viewer.connect()
    expect(await viewer.hears('snapshot')).toMatchObject([
      { state: { roundId: plan.roundId + 1, phase: 'betting' } },
    ])
    expect(timers.mock.calls.filter(([, ms]) => ms === 350)).toHaveLength(2)
  })

  it('looks for the next round in time after a report of the flight that came too late', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    await takeOff(plan)
    const late = await reportOf(plan.roundId)
    setTime(crashAt)
    await ringRound(plan.roundId)
    await viewers[0].hears('history')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await crashStream(env).tell(late)
    expect(timers.mock.lastCall?.[1]).toBeLessThanOrEqual(plan.resultsMs)
  })

  it('automatically catches up on reports that a restarted round did not send', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    await takeOff(plan)
    await breakDown(crashRound(env, plan.roundId))
    setTime(crashAt)
    await ringRound(plan.roundId)
    expect(await viewers[0].all()).toHaveLength(2)
    await ringStream()
    await viewers[0].hears('history')
    expect(brief(viewers[0]).slice(2)).toEqual([
      `${plan.roundId} results`,
      `history ${plan.roundId}`,
    ])
  })

  it('reaches the others if one viewer cannot be reached', async () => {
    const { plan, viewers } = await watchedRound()
    await Promise.all(viewers.map((viewer) => viewer.hears('snapshot')))
    const send = vi.spyOn(WebSocket.prototype, 'send').mockImplementationOnce(() => {
      throw new Error('broken')
    })
    await takeOff(plan)
    await Promise.race(viewers.map((viewer) => viewer.hears('phase')))
    expect(send.mock.results.map(({ type }) => type)).toEqual(['throw', 'return'])
  })
})
