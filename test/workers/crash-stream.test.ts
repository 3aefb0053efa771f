import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CrashRound } from '../../durable-objects/crash-round.ts'
import type { CrashStream } from '../../durable-objects/crash-stream.ts'
import { CrashTable } from '../../durable-objects/crash-table.ts'
import { Relayer } from '../../durable-objects/relayer.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { flightMs } from '../../src/crash/curve.ts'
import type { RoundReport } from '../../src/crash/state.ts'
import { crashRound, crashStream, crashTable } from '../../src/objects.ts'
import { changeObjectConfig } from './configuration.ts'
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

useStories()

const LOW = { min: 200, max: 600 }

/** A round, its crash time, and two viewers watching from the start. */
async function watchedRound(range = LOW) {
  const plan = await openRound(range)
  const { crash } = await secretsOf(plan.roundId)
  const viewers = [await Viewer.connect('192.0.2.1'), await Viewer.connect('192.0.2.2')] as const
  return { plan, crash, crashAt: plan.flightAt + flightMs(crash), viewers }
}

/** A watched round that has just crashed. */
async function crashedRound() {
  const round = await watchedRound()
  await takeOff(round.plan)
  setTime(round.crashAt)
  await ringRound(round.plan.roundId)
  await round.viewers[0].hears('history')
  return round
}

async function takeOff({ flightAt }: { flightAt: number }): Promise<void> {
  setTime(flightAt)
  await ringStream()
}

/** A summary of the messages that a viewer received, without those about bets. */
const brief = (viewer: Viewer) =>
  viewer.heard.flatMap((message) => {
    if (message.type === 'bets') return []
    if (message.type === 'phase') return `${message.roundId} ${message.phase}`
    if (message.type === 'close') return `${message.roundId} closed`
    if (message.type === 'win') return `win ${message.win.wallet} ${message.win.mult}`
    return message.type === 'history' ? `history ${message.entry.roundId}` : 'snapshot'
  })

const viewerCount = () =>
  runInDurableObject(crashStream(env), (_, ctx) => ctx.getWebSockets().length)

const nextLookAt = () =>
  runInDurableObject(crashStream(env), (_, { storage }) => storage.getAlarm())

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

/** Gives the stream a vault, whose conditions the relayer's object knows. */
async function configureVault(id: string): Promise<void> {
  const withdrawalMin = { fixed: { ETH: 1n, USDG: 1n }, perGwei: { ETH: 1_000n, USDG: 1_000n } }
  const vault = { id, chainId: 31_337, confirmations: 1, withdrawalMin }
  await changeObjectConfig(crashStream(env), () => ({ vault: vault as VaultConfig }))
}

/** An object that restarts loses its memory and any pending work. */
async function breakDown(stub: DurableObjectStub): Promise<void> {
  const broken = runInDurableObject(stub, (_: unknown, ctx: DurableObjectState) => ctx.abort())
  await broken.catch(() => {})
}

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
    const seen = { gasPriceWei: '50000000000', balanceWei: '0', poolWei: null, isPaused: true }
    conditions.mockResolvedValue({ ...seen, nextRelayer: null, at: now() })
    const { plan, viewers } = await watchedRound()
    await configureVault('31337:conditions')
    await evictDurableObject(crashStream(env))
    await takeOff(plan)
    const [flight] = await viewers[0].hears('phase')
    expect(flight?.config.chain).toMatchObject({ isPaused: true })
    conditions.mockRestore()
  })

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
    const schedule = setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void) => schedule(run))
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
    const schedule = setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void) => schedule(run))
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
    const behind = await crashTable(env).snapshot('stream')
    pass(plan.resultsMs)
    await ringStream()
    const [schedule, pauses] = [setTimeout, [] as unknown[]]
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, ms?: number) => {
      pauses.push(ms)
      return schedule(run)
    })
    const read = vi.spyOn(CrashTable.prototype, 'snapshot')
    read.mockResolvedValueOnce(behind).mockResolvedValueOnce(behind)
    const viewer = await Viewer.connect()
    expect(await viewer.hears('snapshot')).toMatchObject([
      { state: { roundId: plan.roundId + 1, phase: 'betting' } },
    ])
    expect(pauses.filter((ms) => ms === 350)).toHaveLength(2)
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
