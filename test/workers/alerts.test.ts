import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { daybook, exporter, health, transparencyLog } from '../../src/calls/objects.ts'
import { DAY_MS, HOUR_MS, dateOf } from '../../src/core/utc-day.ts'
import { CrashRound, Ledger } from '../../src/worker.ts'
import { publishedBeacon, useOwnBeacon } from './beacon.ts'
import { expectBeacons } from './configuration.ts'
import { Monitor } from './monitor.ts'
import { append, appendMany, entry, published } from './public-log.ts'
import {
  endRound,
  fundedPlayer,
  now,
  openBeaconRound,
  openRound,
  pass,
  post,
  ringLedger,
  ringRound,
  setTime,
  useStories,
  watch,
} from './support.ts'

useStories()
useOwnBeacon()

const publicLog = () => transparencyLog(env) as unknown as DurableObjectStub

/** Fires the log's alarm, if it is set. The log sleeps before and after it. */
async function ringLog(): Promise<void> {
  await evictDurableObject(publicLog())
  await runDurableObjectAlarm(publicLog())
  await evictDurableObject(publicLog())
}

describe('an operator is alerted', () => {
  it('to a beacon that does not come, until it does', async () => {
    await expectBeacons()
    const monitor = new Monitor()
    const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }))
    expect(await monitor.look()).toEqual([])
    setTime(plan.flightAt + 6_000)
    await ringRound(plan.roundId)
    expect(await monitor.look()).toEqual([])
    expect(await monitor.degraded()).toEqual({ beacon: 'The take-off waits for a late beacon.' })
    setTime(plan.voidAt - 500)
    await monitor.look()
    setTime(plan.voidAt + 10_000)
    await ringRound(plan.roundId)
    expect(await monitor.look()).toEqual(['BeaconLate'])
    expect((await monitor.degraded())['beacon']).toContain('bets were refunded')
    pass(15_000)
    const next = await openBeaconRound(publishedBeacon)
    setTime(next.flightAt)
    await ringRound(next.roundId)
    await endRound(next)
    pass(10_000)
    expect(await monitor.look()).toEqual([])
    expect(await monitor.degraded()).toEqual({})
  })

  it('to a table that opens no round, until it does', async () => {
    const monitor = new Monitor()
    const plan = await openRound()
    await endRound(plan)
    pass(60_000)
    vi.spyOn(CrashRound.prototype, 'open').mockRejectedValue(new Error('a bug'))
    // Players go on looking all the time.
    const look = async () => expect(await watch()).toMatchObject({ ok: false })
    await look()
    pass(8_000)
    await look()
    pass(8_000)
    await look()
    expect(await monitor.look()).toEqual([])
    pass(30_000)
    await look()
    pass(30_000)
    await look()
    expect(await monitor.look()).toEqual(['TableStuck'])
    expect(await monitor.degraded()).toEqual({ table: 'No round opens.' })
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await watch()
    pass(10_000)
    expect(await monitor.look()).toEqual([])
  })

  it('to a log whose archive does not answer, until it does', async () => {
    const monitor = new Monitor(ringLog)
    await appendMany(0, 3)
    pass(60_000)
    await evictDurableObject(publicLog())
    vi.spyOn(env.EXPORTS, 'get').mockRejectedValue(new Error('the archive is down'))
    await expect(
      runInDurableObject(publicLog(), (object) =>
        (object as unknown as { append: (e: unknown) => Promise<unknown> }).append(entry(9)),
      ),
    ).rejects.toThrow('the archive is down')
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.minutes(3)).toEqual(['LogDegraded'])
    expect((await monitor.degraded())['log']).toContain('archive')
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await append(9)
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
  })

  it('to a log whose archive takes no checkpoint, though nobody looks at it again', async () => {
    const monitor = new Monitor(ringLog)
    await append(0)
    const put = vi.spyOn(env.EXPORTS, 'put').mockRejectedValue(new Error('the archive is down'))
    await published()
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.minutes(3)).toEqual(['LogDegraded'])
    expect(await monitor.minutes(20)).toContain('LogDegraded')
    put.mockRestore()
    expect(await monitor.minutes(1)).toEqual([])
    expect(await env.EXPORTS.head('log/checkpoint')).not.toBeNull()
  })

  it('to a log that was restored to an earlier time, for as long as the archive has another one', async () => {
    const monitor = new Monitor(ringLog)
    await appendMany(0, 255)
    await env.EXPORTS.put('log/tile/entries/000', 'another history')
    await append(255)
    await runDurableObjectAlarm(publicLog())
    expect(await monitor.look()).toEqual(['LogForked'])
    expect(await monitor.degraded()).toEqual({ log: 'The public log has stopped.' })
    expect(await monitor.minutes(10)).toContain('LogForked')
    await env.EXPORTS.delete('log/tile/entries/000')
    expect(await monitor.minutes(1)).toEqual([])
  })

  it('to messages that a ledger cannot deliver, until it has', async () => {
    const player = await fundedPlayer(0)
    await env.DB.exec(
      `CREATE TRIGGER full BEFORE INSERT ON ledger_positions BEGIN SELECT RAISE(FAIL, 'full'); END`,
    )
    // The first try is within five minutes, and the fifth fifteen seconds later.
    const monitor = new Monitor(() => ringLedger(player))
    expect(await monitor.minutes(5)).toEqual([])
    expect(await monitor.minutes(5)).toEqual([])
    expect(await monitor.degraded()).toEqual({
      outboxes: 'Some updates are late; nothing is lost.',
    })
    expect(await monitor.minutes(5)).toEqual(['OutboxesStuck'])
    await env.DB.exec('DROP TRIGGER full')
    expect(await monitor.minutes(6)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
    expect((await health(env).facts()).stuck).toMatchObject({ objects: 0, oldestAt: null })
  })

  it('to a day that is not exported, until it is', async () => {
    const monitor = new Monitor()
    await exporter(env).sweep()
    expect(await monitor.look()).toEqual([])
    // From noon to three hours after midnight, in which its alarm was lost.
    pass(15 * HOUR_MS)
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.minutes(6)).toEqual(['ExportLate'])
    for (let alarms = 0; alarms < 3; alarms++) {
      await exporter(env).sweep()
      await runDurableObjectAlarm(exporter(env))
    }
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
    expect((await post('/api/dev/close-day', {})).status).toBe(200)
  })

  it('to a day whose books wait for a ledger, until it answers', async () => {
    const player = await fundedPlayer(0)
    const monitor = new Monitor(() => runDurableObjectAlarm(daybook(env)))
    await daybook(env).sweep()
    pass(300_000)
    await ringLedger(player)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const silent = vi.spyOn(Ledger.prototype, 'bookedLines').mockRejectedValue(new Error('a bug'))
    const day = dateOf(now())
    setTime(Date.parse(day) + DAY_MS + 2 * HOUR_MS - 60_000)
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.degraded()).toEqual({ books: "The house's books are late; play goes on." })
    expect(await monitor.minutes(5)).toEqual(['BooksLate'])
    // Operators look at the current day meanwhile, which is not closed.
    silent.mockRestore()
    const today = dateOf(now())
    await daybook(env).count(today)
    await runDurableObjectAlarm(daybook(env))
    expect(await daybook(env).read(today, today)).toMatchObject([{ isClosed: false }])
    expect(await daybook(env).facts()).toMatchObject({ nextDay: day, newestDay: null })
    expect(await monitor.look()).toEqual(['BooksLate'])
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
    expect(await daybook(env).facts()).toMatchObject({ nextDay: today, newestDay: day })
  })
})
