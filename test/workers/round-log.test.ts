import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { HISTORY_MS } from '../../durable-objects/crash-round/erased.ts'
import { crashRound, crashTable } from '../../src/calls/objects.ts'
import type { RoundView } from '../../src/crash/state.ts'
import type { LogEntry, LogKind } from '../../src/transparency/entry.ts'
import { CrashTable, TransparencyLog } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { publishedBeacon } from './beacon.ts'
import { loggedEntries } from './public-log.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  isBlankObject,
  now,
  openBeaconRound,
  openRound,
  pass,
  passFlight,
  restart,
  ringRound,
  ringTable,
  setTime,
  useStories,
  watch,
} from './support.ts'

useStories()

/** The entries of a round, by kind. */
async function entriesOfRound(roundId: number): Promise<Partial<Record<LogKind, LogEntry>>> {
  const ids = (await loggedEntries()).filter(({ id }) => id === String(roundId))
  const byKind = Object.fromEntries(ids.map((entry) => [entry.kind, entry]))
  expect(ids.length).toBe(Object.keys(byKind).length)
  return byKind
}

const silent = () =>
  vi.spyOn(TransparencyLog.prototype, 'append').mockRejectedValue(new Error('the log is down'))

describe('the public log of a round', () => {
  it('has the plan before anyone can bet', async () => {
    const { plan } = await crashTable(env).snapshot()
    const { body } = await get('/api/crash?action=watch')
    expect(await entriesOfRound(plan.roundId)).toEqual({
      plan: {
        kind: 'plan',
        id: String(plan.roundId),
        at: plan.openedAt,
        ...plan,
        terms: body.config.terms.hash,
      },
    })
  })

  it('has the root over the bets at their close, before the beacon is published', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(publishedBeacon)
    await alice.bet('1000000', { autoCashout: 1.5 })
    setTime(plan.betsCloseAt)
    await ringRound(plan.roundId)
    const { betsRoot, betCount } = (await watch()) as { betsRoot: string; betCount: number }
    const { bets } = await entriesOfRound(plan.roundId)
    expect(bets).toEqual({
      kind: 'bets',
      id: String(plan.roundId),
      at: plan.betsCloseAt,
      betsRoot,
      betCount,
    })
    expect(betCount).toBe(1)
  })

  it('has the end with everything that decided it, once, whatever restarts', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000')
    await restart()
    setTime(plan.betsCloseAt)
    await ringRound(plan.roundId)
    await restart()
    await endRound(plan)
    await restart()
    await ringRound(plan.roundId)
    const { body } = await get(`/api/crash?action=round&roundId=${plan.roundId}`)
    const { seed, pepper, signature, crash, takeoffAt, endedAt, betsRoot, betCount } = body
    expect((await entriesOfRound(plan.roundId)).end).toEqual({
      kind: 'end',
      id: String(plan.roundId),
      at: endedAt,
      seed,
      pepper,
      signature,
      crash,
      takeoffAt,
      betsRoot,
      betCount,
    })
  })

  it('has a void with its reason', async () => {
    const plan = await openBeaconRound(() => new Response(null, { status: 404 }))
    setTime(plan.voidAt)
    await ringRound(plan.roundId)
    expect((await entriesOfRound(plan.roundId)).void).toMatchObject({
      reason: 'the randomness beacon did not publish in time',
    })
  })
})

describe('a round with another plan than the public log has', () => {
  it('takes no bets', async () => {
    const alice = await fundedPlayer(0)
    const { plan } = await crashTable(env).snapshot()
    const stub = crashRound(env, plan.roundId)
    const other = JSON.stringify({ ...plan, seedHash: '00'.repeat(32) })
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec('UPDATE round SET plan = ?', other)
    })
    await evictDurableObject(stub)
    await watch()
    expect(codeOf(await alice.bet('1000000', { roundId: plan.roundId }))).toBe('betting_closed')
  })
})

describe('a round that was played, and is opened again while D1 is down', () => {
  /** Returns the round as it is right before it is opened again. */
  async function playedRound() {
    const plan = await openRound()
    await endRound(plan)
    const stub = crashRound(env, plan.roundId)
    expect(await isBlankObject(stub)).toBe(true)
    await evictDurableObject(stub)
    const down = vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    pass(5_000)
    return { plan, stub, down }
  }

  it('erases itself, and answers as the public log has it', async () => {
    const { plan, stub, down } = await playedRound()
    expect(await stub.open({})).toMatchObject({ kind: 'settled', seedHash: plan.seedHash })
    down.mockRestore()
    await evictDurableObject(stub)
    expect(await isBlankObject(stub)).toBe(true)
    expect((await watch()).roundId).toBe(plan.roundId + 1)
  })

  it('has the same result once D1 is back, without a restart', async () => {
    const { stub, down } = await playedRound()
    const result = await stub.open({})
    down.mockRestore()
    expect(await stub.open({})).toEqual(result)
  })

  it('erases itself once, even if two sweeps run at the same time', async () => {
    const { stub, down } = await playedRound()
    const append = silent()
    const opened = await stub.open({})
    expect(opened).toMatchObject({ stage: 'waiting' })
    append.mockRestore()
    await passFlight((opened as RoundView).plan)
    let letPass = () => {}
    const recordEnd = vi.spyOn(CrashTable.prototype, 'recordEnd')
    recordEnd.mockReturnValue(new Promise((resolve) => (letPass = resolve)))
    const first = stub.sweep()
    await vi.waitFor(() => expect(recordEnd).toHaveBeenCalled(), SOON)
    expect(await stub.sweep()).toBe(0)
    letPass()
    expect(await first).toBe(0)
    recordEnd.mockRestore()
    down.mockRestore()
    await evictDurableObject(stub)
    expect(await isBlankObject(stub)).toBe(true)
  })
})

describe('while the public log is down', () => {
  it('no round takes bets, until the log has its plan', async () => {
    const alice = await fundedPlayer(0)
    const down = silent()
    const { roundId, phase, betsCloseAt } = (await watch()) as unknown as Record<string, unknown>
    expect([phase, betsCloseAt]).toEqual(['betting', expect.any(Number)])
    for (const fields of [{}, { roundId }]) {
      const { code, message } = (await alice.bet('1000000', fields)).body.error
      expect([code, message]).toEqual([
        'betting_closed',
        'This round takes no bets until the public log has its plan. Try again in a few seconds.',
      ])
    }
    await ringTable()
    down.mockRestore()
    pass(1_000)
    expect((await alice.bet('1000000')).status).toBe(200)
    expect((await entriesOfRound(Number(roundId))).plan).toBeDefined()
  })

  it('the round that waits ends, and no other opens until the log has its plan', async () => {
    const alice = await fundedPlayer(0)
    const down = silent()
    const { roundId } = await watch()
    const { plan } = await crashTable(env).snapshot()
    await endRound(plan)
    pass(plan.resultsMs)
    const results = { roundId, phase: 'results', mode: 'open' }
    expect(await watch()).toMatchObject(results)
    pass(5_000)
    await ringTable()
    expect(await watch()).toMatchObject(results)
    const alarmAt = await runInDurableObject(crashTable(env), (_, { storage }) =>
      storage.getAlarm(),
    )
    expect(alarmAt).toBe(now() + 5_000)
    down.mockRestore()
    pass(5_000)
    expect(await watch()).toMatchObject({ roundId: roundId + 1, phase: 'betting' })
    expect((await alice.bet('1000000')).status).toBe(200)
    expect((await entriesOfRound(roundId)).plan).toBeDefined()
  })

  it('or does not answer, the state is read without waiting for it', async () => {
    const hanging = vi
      .spyOn(TransparencyLog.prototype, 'append')
      .mockReturnValue(new Promise(() => {}))
    const set = globalThis.setTimeout
    // Longer timers do nothing, so a read that waits for one never ends.
    const timers = vi.spyOn(globalThis, 'setTimeout')
    timers.mockImplementation((call, ms = 0) => set(ms <= HISTORY_MS ? call : () => {}, ms))
    expect(await watch()).toMatchObject({ phase: 'betting' })
    timers.mockRestore()
    hanging.mockRestore()
  })

  it('a round that is open goes on, and is logged once the log is back', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    const down = silent()
    await alice.bet('1000000')
    setTime(plan.flightAt + 2_000)
    await ringRound(plan.roundId)
    expect((await alice.cashout()).status).toBe(200)
    await endRound(plan)
    expect((await entriesOfRound(plan.roundId)).bets).toBeUndefined()
    down.mockRestore()
    pass(600_000)
    await ringRound(plan.roundId)
    expect(Object.keys(await entriesOfRound(plan.roundId)).toSorted()).toEqual([
      'bets',
      'end',
      'plan',
    ])
  })

  it('a round that nobody bet in keeps its storage until the log has it', async () => {
    const plan = await openRound()
    const down = silent()
    await endRound(plan)
    expect(await isBlankObject(crashRound(env, plan.roundId))).toBe(false)
    down.mockRestore()
    pass(600_000)
    await ringRound(plan.roundId)
    expect(Object.keys(await entriesOfRound(plan.roundId)).toSorted()).toEqual([
      'bets',
      'end',
      'plan',
    ])
    expect(await isBlankObject(crashRound(env, plan.roundId))).toBe(true)
  })
})

describe('while R2 is down', () => {
  it('rounds are logged and take bets, though the log sleeps in their flights', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const log = env.TRANSPARENCY_LOG.getByName('main')
    const first = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    setTime(first.betsCloseAt)
    await ringRound(first.roundId)
    for (const call of ['get', 'head', 'put'] as const)
      vi.spyOn(env.EXPORTS, call).mockRejectedValue(new Error('R2 is down'))
    let { roundId } = first
    for (let rounds = 0; rounds < 3; rounds++) {
      await evictDurableObject(log)
      const { plan } = (await crashRound(env, roundId).view())!
      await endRound(plan)
      expect(Object.keys(await entriesOfRound(roundId)).toSorted()).toEqual(['bets', 'end', 'plan'])
      pass(5_000)
      await evictDurableObject(log)
      // In a flight of more than a minute, the log would wait for R2.
      const next = await openRound({ max: 600 })
      roundId = next.roundId
      expect(roundId).toBe(plan.roundId + 1)
      expect((await bob.bet('1000000', { roundId })).status).toBe(200)
      setTime(next.betsCloseAt)
      await ringRound(roundId)
    }
  })
})
