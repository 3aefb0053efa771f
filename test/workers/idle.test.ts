import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import COSTS_MD from '../../reference/costs.md?raw'
import {
  control,
  crashRound,
  crashStream,
  crashTable,
  daybook,
  exporter,
} from '../../src/calls/objects.ts'
import { sweep } from '../../src/sweep.ts'
import { publishedBeacon, useOwnBeacon } from './beacon.ts'
import { changeObjectConfig, expectBeacons } from './configuration.ts'
import { passHour } from './hour.ts'
import { total } from './row-counts.ts'
import { get, isBlankObject, now, useStories } from './support.ts'
import { Viewer } from './viewer.ts'

useStories()
useOwnBeacon()

/** Makes every hour have the same flights. */
function drawKnownSeeds(): void {
  let drawn = 0
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as unknown as Uint8Array
    new DataView(bytes.buffer).setUint32(0, ++drawn)
    return array
  })
}

const withoutLog = () => changeObjectConfig(crashTable(env), () => ({ log: null }))

/** Has every beacon published in time. */
function useBeacons(): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) =>
    publishedBeacon(Number(/\d+$/.exec(new Request(input, init).url)?.[0])),
  )
}

/** Returns the most calls, alarms and rows of a round, as a line of reference/costs.md has them. */
function documentedMost(line: string): number[] {
  const found = COSTS_MD.split('\n').find((text) => text.startsWith(`| ${line}`))
  const [, ...cells] = found?.split('|').slice(1, -1) ?? []
  return cells.map(Number)
}

/** Connects a viewer who pings at the tests' clock. */
async function connect(): Promise<Viewer> {
  const viewer = await Viewer.connect()
  await runInDurableObject(crashStream(env), (_, ctx) => {
    const prototype = Object.getPrototypeOf(ctx) as DurableObjectState
    vi.spyOn(prototype, 'getWebSocketAutoResponseTimestamp').mockImplementation(
      () => new Date(now()),
    )
  })
  return viewer
}

const sizeOf = (stub: DurableObjectStub) =>
  runInDurableObject(
    stub,
    (_: unknown, { storage }: DurableObjectState) => storage.sql.databaseSize,
  )

/** The number of rounds whose objects store anything. */
async function keptRounds(rounds: number): Promise<number> {
  let kept = 0
  for (let id = 1; id <= rounds; id++) {
    if (!(await isBlankObject(crashRound(env, id)))) kept++
  }
  return kept
}

describe('an hour with one viewer in which nobody bets', () => {
  it('costs at most 9 calls, 2 alarms and 11 rows a round, and keeps one row of it', async () => {
    await withoutLog()
    drawKnownSeeds()
    // Make the tables that are made once.
    await sweep(env)
    await exporter(env).sweep()
    await daybook(env).sweep()
    await connect()
    const sizeBefore = await sizeOf(crashTable(env))
    const costs = await passHour()
    const rounds = await crashTable(env).newestRoundId()
    expect({ rounds, ...costs }).toEqual({
      rounds: 110,
      calls: {
        'CrashTable.snapshot': 116,
        'CrashRound.open': 111,
        'CrashRound.follow': 193,
        'CrashStream.tell': 216,
        'CrashTable.recordEnd': 110,
        // By a table that has slept.
        'Control.modes': 62,
        // Of the cron trigger.
        'CrashTable.sweep': 60,
        'CrashRound.sweep': 60,
        'Reprojection.sweep': 60,
        'Exporter.sweep': 1,
        'Daybook.sweep': 1,
      },
      alarms: { CrashRound: 110, CrashStream: 89 },
      // Of a round: its table 2, opening 1, close 1 and end 1; of three, close and end came together.
      rows: { round: 547, rounds: 112, told: 326, alarm: 200 },
    })
    expect(total(costs.calls) / rounds).toBeLessThanOrEqual(9)
    expect(total(costs.alarms) / rounds).toBeLessThanOrEqual(1.9)
    expect(total(costs.rows) / rounds).toBeLessThanOrEqual(11)
    expect(await keptRounds(rounds)).toBe(0)
    const grownBy = (await sizeOf(crashTable(env))) - sizeBefore
    expect(grownBy / rounds).toBeLessThan(700)
    const saved = await env.HISTORY.prepare('SELECT count(*) AS rounds FROM crash_rounds').first()
    expect(saved).toEqual({ rounds })
  })

  it('costs a little more with a beacon, which is stored and has an alarm', async () => {
    useBeacons()
    await expectBeacons()
    await withoutLog()
    drawKnownSeeds()
    await sweep(env)
    await connect()
    // Flights follow the beacons of the time, which differs, so only a whole hour has steady averages.
    const costs = await passHour()
    const rounds = await crashTable(env).newestRoundId()
    expect(rounds).toBeGreaterThan(20)
    // The round tells the stream the root over its bets, which stores no row for that.
    // Sweeps and reads of the modes come with the minutes, however many rounds there are.
    const ofMinutes = /\.(sweep|modes)$/
    const ofRounds = Object.entries(costs.calls).filter(([call]) => !ofMinutes.test(call))
    const callsOfRounds = total(Object.fromEntries(ofRounds))
    expect(callsOfRounds / rounds).toBeLessThanOrEqual(7.9)
    expect((total(costs.calls) - callsOfRounds) / 60).toBeLessThanOrEqual(4.1)
    expect(total(costs.alarms) / rounds).toBeLessThanOrEqual(3.2)
    expect(total(costs.rows) / rounds).toBeLessThanOrEqual(13.6)
    expect(await keptRounds(rounds)).toBe(0)
  })

  it('costs 7 rows more with the public log, of which 6 are its own, and 3 calls', async () => {
    drawKnownSeeds()
    await sweep(env)
    await exporter(env).sweep()
    await daybook(env).sweep()
    await connect()
    const costs = await passHour()
    const rounds = await crashTable(env).newestRoundId()
    expect(rounds).toBe(110)
    const { entries = 0, tiles = 0, alarm = 0 } = costs.rows
    expect(costs.calls).toMatchObject({ 'TransparencyLog.append': 331 })
    expect({ entries, tiles, alarm }).toEqual({ entries: 662, tiles: 1, alarm: 309 })
    // A round without the log sets 200 / 110 alarms; with it, one more at the close of its bets.
    expect((entries + tiles + alarm - 200) / rounds).toBeLessThanOrEqual(7.1)
    expect(await keptRounds(rounds)).toBe(0)
  })

  it('costs as much as reference/costs.md says with all that production has: a beacon and the log', async () => {
    useBeacons()
    await expectBeacons()
    drawKnownSeeds()
    await sweep(env)
    await exporter(env).sweep()
    await daybook(env).sweep()
    await connect()
    const costs = await passHour()
    const rounds = await crashTable(env).newestRoundId()
    expect(rounds).toBeGreaterThan(20)
    const ofRound = [costs.calls, costs.alarms, costs.rows].map((all) => total(all) / rounds)
    const documented = documentedMost('as in production')
    expect(ofRound.map((figure, at) => figure <= (documented[at] ?? 0))).toEqual([true, true, true])
    expect(await keptRounds(rounds)).toBe(0)
  })

  it('costs two calls a poll where the page must poll, and no more rows', async () => {
    await withoutLog()
    drawKnownSeeds()
    // Make the tables that are made once.
    await sweep(env)
    await control(env).modes()
    let polls = 0
    const costs = await passHour(async () => {
      polls++
      const { body } = await get('/api/crash?action=watch')
      return body.phase === 'flight' ? 400 : 1_000
    }, 120_000)
    const rounds = await crashTable(env).newestRoundId()
    expect(rounds).toBe(4)
    expect(total(costs.calls)).toBeLessThanOrEqual(2 * polls)
    expect(total(costs.alarms) / rounds).toBeLessThanOrEqual(2.9)
    expect(total(costs.rows) / rounds).toBeLessThanOrEqual(13)
  })
})
