import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { flightMs } from '../../src/crash/curve.ts'
import { signBeacon, useOwnBeacon } from './beacon.ts'
import {
  fundedPlayer,
  get,
  openBeaconRound,
  openRound,
  pass,
  post,
  restart,
  ringRound,
  secretsOf,
  setTime,
  useStories,
  type Answer,
} from './support.ts'
import { ringStream, Viewer } from './viewer.ts'
import { watchStorage } from './watch-storage.ts'

useStories()
useOwnBeacon()

/** Everything stored in the other objects and D1, as text. */
async function everythingStored(): Promise<string> {
  const dumps: unknown[] = []
  for (const namespace of [env.LEDGER, env.CRASH_TABLE, env.CRASH_STREAM]) {
    for (const id of await listDurableObjectIds<undefined>(namespace)) {
      dumps.push(
        await runInDurableObject(
          namespace.get(id),
          (_: unknown, { storage }: DurableObjectState) => {
            const tables = storage.sql
              .exec<{ name: string }>(
                `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'`,
              )
              .toArray()
            return tables.map(({ name }) => storage.sql.exec(`SELECT * FROM ${name}`).toArray())
          },
        ),
      )
    }
  }
  const rounds = await env.HISTORY.prepare('SELECT * FROM crash_rounds').all()
  return JSON.stringify([dumps, rounds.results])
}

/** Matches a number that is not a part of a longer one. A whole number may be in a hash, too. */
function whole(text: string): RegExp {
  const around = text.includes('.') ? '0-9' : '0-9a-f'
  return new RegExp(`(?<![${around}.])${text.replace('.', '\\.')}(?![${around}])`)
}

it('the seed, the pepper and the crash point stay secret until the crash', async () => {
  const logged = ['log', 'info', 'warn', 'error'] as const
  const logs = logged.map((level) => vi.spyOn(console, level).mockImplementation(() => {}))
  const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
  const plan = await openRound({ min: 100_001, max: 99_000_000 })
  const { seed, pepper, crash } = await secretsOf(plan.roundId)
  const crashAt = plan.flightAt + flightMs(crash)
  const said: string[] = []
  const listen = async (answers: Promise<Answer>[]) => {
    for (const { text, headers } of await Promise.all(answers)) {
      said.push(text, JSON.stringify([...headers]))
    }
  }
  let viewer = await Viewer.connect()
  const everythingAnyoneCanAsk = () => [
    alice.state(),
    bob.state(),
    get('/api/crash?action=watch'),
    get('/api/crash?action=bets'),
    get(`/api/crash?action=bets&roundId=${plan.roundId}&wallet=${bob.wallet}`),
    get('/api/crash?action=history'),
    get('/api/crash/verify-seeds'),
    get(`/api/crash/verify-seeds?roundId=${plan.roundId}`),
    get(`/api/crash/${plan.roundId}`),
  ]

  await listen([
    alice.bet('1000000', { autoCashout: 1.5 }),
    bob.bet('1000000', { autoCashout: 1_000_000 }),
    bob.cashout(),
  ])
  for (let step = 0; step <= 20; step++) {
    const from = plan.flightAt - 1_000
    // Right before the end, the multiplier itself approaches the crash point.
    setTime(Math.floor(from + ((crashAt - 500 - from) * step) / 20))
    if (step % 5 === 0) await restart()
    if (step % 3 === 0) await ringRound(plan.roundId)
    // The restart closed the sockets.
    if (step % 5 === 0) viewer = await Viewer.connect()
    await ringStream()
    await listen([
      ...everythingAnyoneCanAsk(),
      alice.bet('1'),
      bob.bet('1', { roundId: plan.roundId + 1 }),
    ])
    said.push(JSON.stringify(await viewer.all()))
    if (step === 1) await listen([alice.cashout(), alice.cashout()])
  }
  said.push(await everythingStored(), JSON.stringify(logs.map(({ mock }) => mock.calls)))

  const everything = said.join('\n')
  expect(everything).toContain(plan.seedHash)
  expect(everything).not.toContain(seed)
  expect(everything).not.toContain(pepper)
  const [crashText, fixed] = [String(crash / 100), (crash / 100).toFixed(2)]
  for (const secret of [String(crash), crashText, fixed, String(crashAt)]) {
    expect(everything).not.toMatch(whole(secret))
  }

  setTime(crashAt)
  const after = await get('/api/crash/verify-seeds')
  expect(after.text).toContain(seed)
  expect(after.text).toMatch(whole(crashText))
})

it.each([5_000, 1_000])(
  'the time of an answer to a cash-out is no hint: it waits for no alarm to be set, %d ms before the crash',
  async (beforeMs) => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 300, max: 100_000 })
    for (const player of [alice, bob]) await player.bet('1000000')
    setTime(plan.flightAt)
    await ringRound(plan.roundId)
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash) - beforeMs)
    let alarms = 0
    const stop = await watchStorage({ onStatement: () => {}, onAlarm: () => alarms++ })
    expect((await alice.cashout()).status).toBe(200)
    stop()
    expect(alarms).toBe(0)
  },
)

it.each([104, 388])(
  'the time of an answer to a late beacon is no hint: it sets one alarm, also if the crash is at %d hundredths',
  async (crash) => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(() => new Response('not yet', { status: 404 }), crash)
    const { roundId } = plan
    const signature = signBeacon(plan.beacon)
    await alice.bet('1000000')
    setTime(plan.flightAt + 3_000)
    await ringRound(roundId)
    pass(100)
    let alarms = 0
    const stop = await watchStorage({ onStatement: () => {}, onAlarm: () => alarms++ })
    const { body } = await post('/api/crash', { action: 'beacon', roundId, signature })
    stop()
    expect(body.accepted).toBe(true)
    expect(alarms).toBe(1)
  },
)
