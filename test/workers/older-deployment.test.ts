import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { isBlank } from '../../durable-objects/kernel/migrations.ts'
import { flush } from '../../src/api/games/feed.ts'
import { Platform } from './partner.ts'
import {
  get,
  openRound,
  pass,
  Player,
  post,
  restart,
  ringLedger,
  setTime,
  useStories,
  endRound,
} from './support.ts'

useStories()

const OBJECTS = [
  env.LEDGER,
  env.CRASH_TABLE,
  env.CRASH_ROUND,
  env.CRASH_STREAM,
  env.PARTNER_IDS,
  env.PARTNER_LIMIT,
] as DurableObjectNamespace[]

const TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_%' ESCAPE '\\'
    AND name NOT LIKE 'd1%'`

/** Adds a column to every table, like a later deployment that is then rolled back. */
async function addColumns(): Promise<number> {
  let added = 0
  for (const namespace of OBJECTS) {
    for (const id of await listDurableObjectIds(namespace)) {
      added += await runInDurableObject(namespace.get(id), (_: unknown, { storage }) => {
        // An object of another test file exists without tables.
        if (isBlank(storage)) return 0
        const names = storage.sql.exec<{ name: string }>(TABLES).toArray()
        for (const { name } of names) storage.sql.exec(`ALTER TABLE ${name} ADD COLUMN later TEXT`)
        return names.length
      })
    }
  }
  for (const database of [env.DB, env.HISTORY]) {
    const { results } = await database.prepare(TABLES).all<{ name: string }>()
    for (const { name } of results) await database.exec(`ALTER TABLE ${name} ADD COLUMN later TEXT`)
    added += results.length
  }
  return added
}

it('a service that was rolled back works on tables that have more columns', async () => {
  const platform = new Platform()
  const alice = new Player(0)
  await platform.transact(alice, '1000')
  await alice.play({ nonce: 0 })
  const first = await openRound({ min: 300, max: 600 })
  await alice.bet('1000000')
  expect(await addColumns()).toBeGreaterThan(20)
  await restart()

  setTime(first.flightAt + 11_553)
  expect((await alice.cashout()).body).toMatchObject({ ok: true, multiplier: 2 })
  await endRound(first)
  expect((await alice.play({ nonce: 1 })).status).toBe(200)
  expect((await platform.transact(alice, '-1')).status).toBe(200)
  expect((await platform.transact(alice, '1')).status).toBe(200)
  pass(10_000)
  await alice.state()
  expect((await alice.bet('1000000')).status).toBe(200)
  await flush(env)
  pass(300_000)
  await ringLedger(alice)
  const recent = await post('/api/entropy', { action: 'recent', wallet: alice.wallet })
  expect(recent.body.recent.length).toBe(2)
  const seeds = await get(`/api/crash/verify-seeds?roundId=${first.roundId}`)
  expect(seeds.body.rounds).toHaveLength(1)
})
