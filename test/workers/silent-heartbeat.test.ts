import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Clock } from '../../durable-objects/kernel/clock.ts'
import { Trust } from '../../durable-objects/treasury/trust.ts'
import { treasury } from '../../src/calls/objects.ts'
import { now, pass, useStories } from './support.ts'

useStories()

const VAULT_ID = '31337:0x00000000000000000000000000000000000000D1'
const MINUTE_MS = 60_000
const COUNTED = { ETH: 1_000n, USDG: 1_000n }
const UNKNOWN = { ETH: 0n, USDG: 0n }

const object = () => treasury(env, VAULT_ID)

/** Makes D1 take no more heartbeats. */
async function takeNoHeartbeats(): Promise<void> {
  await env.DB.exec(
    `CREATE TRIGGER full BEFORE UPDATE ON heartbeat BEGIN SELECT RAISE(FAIL, 'full'); END`,
  )
}

async function lastFailure(): Promise<unknown> {
  return runInDurableObject(
    object(),
    (_, { storage }) => storage.sql.exec('SELECT failed_at FROM trust').one()['failed_at'],
  )
}

beforeEach(async () => {
  await object().beat()
  await runInDurableObject(object(), (_, { storage }) => {
    for (const token of ['ETH', 'USDG']) {
      storage.sql.exec(
        `INSERT INTO bankroll (token, amount_wei, owed_wei, result_wei, wallets, counted_at, first_counted_at)
         VALUES (?1, '1000', '0', '0', 1, ?2, ?2)`,
        token,
        now(),
      )
    }
  })
})

describe('while the cron trigger is paused, a treasury', () => {
  it('gives ledgers six minutes to resend what D1 may have refused, and writes heartbeats itself', async () => {
    pass(2 * MINUTE_MS)
    expect(await object().areAllSent()).toBe(true)
    pass(1_440 * MINUTE_MS)
    expect(await object().areAllSent()).toBe(false)
    for (let minute = 1; minute < 6; minute++) {
      pass(MINUTE_MS)
      expect(await object().areAllSent()).toBe(false)
    }
    pass(MINUTE_MS)
    expect(await object().areAllSent()).toBe(true)
  })

  it('believes in its count while D1 takes heartbeats', async () => {
    pass(1_440 * MINUTE_MS)
    expect(await object().bankroll()).toEqual(COUNTED)
  })

  it('notices that D1 takes no writes, and gives up its count ten minutes after the last heartbeat', async () => {
    await takeNoHeartbeats()
    pass(4 * MINUTE_MS)
    expect(await object().bankroll()).toEqual(COUNTED)
    expect(await object().areAllSent()).toBe(false)
    const failedAt = now()
    pass(15_000)
    expect(await object().bankroll()).toEqual(COUNTED)
    // Callers would wait for each try.
    expect(await lastFailure()).toBe(failedAt)
    pass(6 * MINUTE_MS)
    expect(await object().bankroll()).toEqual(UNKNOWN)
  })
})

it('takes a heartbeat that D1 does not answer for ten seconds as failed, and writes the next one', async () => {
  await runInDurableObject(object(), async (_, { storage }) => {
    const trust = new Trust(storage.sql, new Clock(), 'Treasury')
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    vi.setSystemTime(now())
    const batch = vi.fn(async () => new Promise<never>(() => {}))
    const beating = trust.beat({ prepare: env.DB.prepare.bind(env.DB), batch } as never)
    await vi.advanceTimersByTimeAsync(10_000)
    await beating
    expect(trust.known().failingSince).toBe(now() + 10_000)
    await trust.beat(env.DB)
    expect(trust.known()).toMatchObject({ failingSince: null, beat: now() + 10_000 })
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(now())
  })
})

it('concludes nothing from an answer of D1 that a heartbeat has overtaken', async () => {
  await runInDurableObject(object(), async (_, { storage }) => {
    const trust = new Trust(storage.sql, new Clock(), 'Treasury')
    const { beat } = trust.known()
    pass(MINUTE_MS)
    await trust.beat(env.DB)
    expect(trust.expectBeat(beat - 1, beat)).toBe(false)
  })
  expect(await object().areAllSent()).toBe(true)
})
