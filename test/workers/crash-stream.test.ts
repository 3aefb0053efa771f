import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { Relayer } from '../../durable-objects/relayer.ts'
import { crashRound, crashStream } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import {
  fundedPlayer,
  get,
  now,
  openRound,
  pass,
  ringRound,
  ringTable,
  secretsOf,
  setTime,
  useStories,
  watch,
} from './support.ts'
import { ringStream, Viewer } from './viewer.ts'
import {
  breakDown,
  brief,
  configureVault,
  LOW,
  takeOff,
  viewerCount,
  watchedRound,
} from './watched-round.ts'

useStories()

const nextLookAt = () =>
  runInDurableObject(crashStream(env), (_, { storage }) => storage.getAlarm())

describe('a viewer', () => {
  it('receives the state first, exactly as in a read that watches', async () => {
    await openRound()
    const viewer = await Viewer.connect()
    const none = { count: 0, amountWei: '0' }
    expect((await viewer.hears('snapshot'))[0]).toEqual({
      type: 'snapshot',
      state: await watch(),
      totals: { ETH: none, USDG: none },
    })
  })

  it('joining in mid-flight receives the flight and its wins', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound(LOW)
    await alice.bet('1000000')
    setTime(plan.flightAt + 1_000)
    await alice.cashout()
    const viewer = await Viewer.connect()
    const [snapshot] = await viewer.hears('snapshot')
    expect(snapshot?.state).toMatchObject({ phase: 'flight', multiplier: 1.06 })
    expect(snapshot?.state.recentWins).toMatchObject([{ wallet: alice.wallet, mult: 1.06 }])
  })

  it('receives each transition of a round in order, like every other viewer', async () => {
    const { plan, crash, crashAt, viewers } = await watchedRound()
    const [viewer, other] = viewers
    const { roundId } = plan
    await takeOff(plan)
    await viewer.hears('phase', 1)
    setTime(crashAt)
    await ringRound(roundId)
    await viewer.hears('history')
    pass(plan.resultsMs)
    await ringStream()
    await viewer.hears('phase', 3)
    expect(brief(viewer)).toEqual([
      'snapshot',
      `${roundId} flight`,
      `${roundId} results`,
      `history ${roundId}`,
      `${roundId + 1} betting`,
    ])
    expect((await viewer.hears('history'))[0]?.entry).toEqual({ roundId, crash: crash / 100 })
    expect(await other.all()).toEqual(viewer.heard)
  })

  it('receives with each transition the state of a read that watches, except for the lists and the mode', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    for (const [time, ring] of [
      [plan.flightAt, ringStream],
      [crashAt, () => ringRound(plan.roundId)],
      [crashAt + plan.resultsMs, ringStream],
    ] as const) {
      const { length } = await viewers[0].hears('phase', 0)
      setTime(time)
      await ring()
      const phases = await viewers[0].hears('phase', length + 1)
      const { history: _history, recentWins: _wins, mode: _mode, ...state } = await watch()
      expect(phases.at(-1)).toEqual({ type: 'phase', ...state })
    }
  })

  it('is disconnected after ten minutes of silence, but not if it pings', async () => {
    const { viewers } = await watchedRound()
    await runInDurableObject(crashStream(env), (_, ctx) => {
      const [, pinging] = ctx.getWebSockets()
      const pingedAt = vi.spyOn(ctx, 'getWebSocketAutoResponseTimestamp')
      pingedAt.mockImplementation((socket) =>
        socket === pinging ? new Date(now() - 60_000) : null,
      )
    })
    pass(599_999)
    await ringStream()
    expect(await viewerCount()).toBe(2)
    pass(1)
    await ringStream()
    expect(await Promise.race(viewers.map(({ closed }) => closed))).toMatchObject({ code: 1001 })
    expect(await viewerCount()).toBe(1)
  })
})

describe('wins', () => {
  it('are sent to everyone when they are decided', async () => {
    const alice = await fundedPlayer(0)
    const { plan, viewers } = await watchedRound()
    await alice.bet('1000000')
    await takeOff(plan)
    pass(3_000)
    await alice.cashout()
    const win = {
      wallet: alice.wallet,
      token: 'USDG',
      amount: '1000000',
      mult: 1.19,
      payout: '1190000',
    }
    for (const viewer of viewers) {
      expect(await viewer.hears('win')).toEqual([{ type: 'win', roundId: plan.roundId, win }])
    }
  })

  it('of auto-cash-outs arrive before the end of their round, each once', async () => {
    const players = await Promise.all([0, 1, 2].map(fundedPlayer))
    const { plan, crashAt, viewers } = await watchedRound()
    await Promise.all(players.map((player) => player.bet('1000000', { autoCashout: 1.5 })))
    await takeOff(plan)
    setTime(crashAt)
    await ringRound(plan.roundId)
    await viewers[0].hears('history')
    await ringStream()
    const heard = brief(viewers[0])
    expect(heard.slice(2, 5).toSorted()).toEqual(
      players.map(({ wallet }) => `win ${wallet} 1.5`).toSorted(),
    )
    expect(heard.slice(5)).toEqual([`${plan.roundId} results`, `history ${plan.roundId}`])
    expect(await viewers[1].all()).toEqual(await viewers[0].all())
  })

  it('that a round could not report are sent when it is asked again', async () => {
    const alice = await fundedPlayer(0)
    const { plan, viewers } = await watchedRound()
    await alice.bet('1000000')
    await takeOff(plan)
    await breakDown(crashRound(env, plan.roundId))
    pass(1_000)
    await alice.cashout()
    await ringStream()
    expect(await viewers[0].hears('win')).toMatchObject([{ win: { wallet: alice.wallet } }])
    await ringStream()
    expect(brief(viewers[0])).toHaveLength(3)
  })
})

describe('the crash', () => {
  it('is not revealed beforehand: two flights look identical while both last', async () => {
    const alice = await fundedPlayer(0)
    const CRASHES = [
      { min: 150, max: 160 },
      { min: 400, max: 600 },
    ]
    const flights: unknown[][] = []
    for (const range of CRASHES) {
      const plan = await openRound(range)
      const { seed, pepper } = await secretsOf(plan.roundId)
      const viewer = await Viewer.connect()
      await alice.bet('1000000', { autoCashout: 1.25 })
      const flight: unknown[] = []
      for (const ms of [-1_000, 0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000]) {
        setTime(plan.flightAt + ms)
        await ringTable()
        await ringRound(plan.roundId)
        if (ms === 4_000) await viewer.hears('win')
        await ringStream()
        const said = (await viewer.all()).splice(0)
        expect(JSON.stringify(said)).not.toMatch(new RegExp(`${seed}|${pepper}`))
        flight.push({ said: said.map(timeless(plan)), wakes: (await nextLookAt())! - now() })
      }
      flights.push(flight)
      viewer.leave()
      setTime(plan.flightAt + flightMs(600) + plan.resultsMs)
      await ringStream()
    }
    expect(JSON.stringify(flights[0])).toContain('"flight"')
    expect(flights[0]).toEqual(flights[1])
  })

  it('is sent by the round itself, to all viewers in one turn', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    await takeOff(plan)
    setTime(crashAt - 1)
    await ringRound(plan.roundId)
    await ringStream()
    for (const viewer of viewers) expect(await viewer.all()).toHaveLength(2)
    setTime(crashAt)
    await get('/api/crash?action=watch')
    await viewers[1].hears('history')
    // Both viewers have received the same messages about it.
    expect(await viewers[0].all()).toEqual(viewers[1].heard)
    expect(viewers[0].heard[2]).toMatchObject({ phase: 'results', crashPoint: expect.any(Number) })
  })
})

/** A message without the fields that differ in every round. */
function timeless({ openedAt, roundId }: { openedAt: number; roundId: number }) {
  const TIMES = ['serverTime', 'betsCloseAt', 'flightAt']
  const OWN = ['seedHash', 'betsRoot', 'pepperSource', 'history', 'recentWins']
  return (message: object): unknown =>
    JSON.parse(
      JSON.stringify(message, (key, value: unknown) => {
        if (TIMES.includes(key)) return Number(value) - openedAt
        if (key === 'roundId') return Number(value) - roundId
        return OWN.includes(key) ? null : value
      }),
    )
}

describe('the stream', () => {
  it('resumes after hibernation, without repeating messages', async () => {
    const alice = await fundedPlayer(0)
    const { plan, crashAt, viewers } = await watchedRound()
    const { roundId } = plan
    await alice.bet('1000000')
    await evictDurableObject(crashStream(env))
    await takeOff(plan)
    await evictDurableObject(crashStream(env))
    pass(1_000)
    await alice.cashout()
    await viewers[0].hears('win')
    await evictDurableObject(crashStream(env))
    setTime(crashAt)
    await ringRound(roundId)
    await viewers[0].hears('history')
    await evictDurableObject(crashStream(env))
    await ringStream()
    pass(plan.resultsMs)
    await ringStream()
    for (const viewer of viewers) {
      await viewer.hears('phase', 3)
      expect(brief(viewer)).toEqual([
        'snapshot',
        `${roundId} flight`,
        `win ${alice.wallet} 1.06`,
        `${roundId} results`,
        `history ${roundId}`,
        `${roundId + 1} betting`,
      ])
    }
  })

  it('knows the vault’s conditions after hibernation', async () => {
    const conditions = vi.spyOn(Relayer.prototype, 'conditions')
    const prices = { gasPriceWei: '50000000000', marketPriceWei: '50000000000' }
    const seen = { ...prices, balanceWei: '0', poolWei: null, isPaused: true }
    conditions.mockResolvedValue({ ...seen, nextRelayer: null, at: now() })
    const { plan, viewers } = await watchedRound()
    await configureVault('31337:conditions')
    await evictDurableObject(crashStream(env))
    await takeOff(plan)
    const [flight] = await viewers[0].hears('phase')
    expect(flight?.config.chain).toMatchObject({ isPaused: true })
    conditions.mockRestore()
  })

  it('sends the history of rounds that it has missed', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    setTime(crashAt + plan.resultsMs)
    await watch()
    await ringStream()
    await viewers[0].hears('phase')
    expect(brief(viewers[0])).toEqual([
      'snapshot',
      `history ${plan.roundId}`,
      `${plan.roundId + 1} betting`,
    ])
  })

  it('keeps rounds running only while somebody watches', async () => {
    const { plan, crashAt, viewers } = await watchedRound()
    setTime(crashAt + 3_600_000)
    viewers[1].say('ping')
    await ringRound(plan.roundId)
    await viewers[0].hears('history')
    for (const viewer of viewers) viewer.leave()
    await Promise.all(viewers.map(({ closed }) => closed))
    await ringStream()
    expect(await nextLookAt()).toBeNull()
    expect(await ringTable()).toBe(false)
  })

  it('forgets a viewer who has left', async () => {
    const { viewers } = await watchedRound()
    viewers[0].leave()
    await viewers[0].closed
    expect(await viewerCount()).toBe(1)
  })
})
