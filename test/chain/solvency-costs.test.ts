import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CountStore } from '../../durable-objects/solvency/count-store.ts'
import { noDebts } from '../../durable-objects/solvency/debts.ts'
import { TreeStore } from '../../durable-objects/solvency/store.ts'
import { solvency } from '../../src/calls/objects.ts'
import { MANY_WALLETS } from '../../src/solvency/sum-tree.ts'
import { EMPTY_LEAF } from '../../src/solvency/tree.ts'
import { verifySolvency } from '../../src/verify/solvency.ts'
import { costsOf } from '../workers/costs.ts'
import { get } from '../workers/support.ts'
import { count, failing, listWallets, settle } from './solvency.ts'
import { depositor, useChain } from './support.ts'

useChain()

/** The platform's limit. The local runtime has none. */
const MAX_ROW_BYTES = 2_000_000
const ADDRESS = `0x${'a1'.repeat(20)}`
const HELD = {
  holdings: { ETH: 0n, USDG: 0n },
  blockNumber: 9,
  blockHash: `0x${'be'.repeat(32)}` as const,
  contract: { chainId: 1, address: ADDRESS, usdg: ADDRESS },
}

/** Counts the rows that are read in D1 from now on. */
function countRowsRead(): () => number {
  let rows = 0
  const counted = <Result extends D1Result>(result: Result) => {
    rows += result.meta.rows_read
    return result
  }
  const database = Object.getPrototypeOf(env.DB) as D1Database
  const statement = Object.getPrototypeOf(env.DB.prepare('SELECT 1')) as D1PreparedStatement
  const batch: D1Database['batch'] = Reflect.get(database, 'batch')
  const all: D1PreparedStatement['all'] = Reflect.get(statement, 'all')
  vi.spyOn(database, 'batch').mockImplementation(async function (this: D1Database, statements) {
    return (await batch.call(this, statements)).map(counted) as never
  })
  vi.spyOn(statement, 'all').mockImplementation(async function (this: D1PreparedStatement) {
    return counted(await all.call(this)) as never
  })
  return () => rows
}

describe('the cost of an epoch', () => {
  it('is 7 rows for up to 1,024 wallets, with those of the log, and 3 more for each 1,024 more', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await solvency(env).publish()
    const { rows } = await costsOf(() => solvency(env).publish())
    expect(rows).toBe(7)
  })

  it('is five rows read in D1 for each wallet: two to trust the positions, and three to count them', async () => {
    const alice = await depositor(0)
    await settle(alice)
    const wallets = 2_000
    await listWallets(wallets)
    const read = countRowsRead()
    expect(await solvency(env).publish()).toMatchObject({ leaves: wallets + 1 })
    expect(Math.round(read() / wallets)).toBe(5)
  })

  it('warns the operator before there are too many wallets', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    await count()
    const empty = { tops: EMPTY_LEAF, top: EMPTY_LEAF }
    vi.spyOn(TreeStore.prototype, 'build').mockResolvedValue(empty)
    const stages = vi.spyOn(CountStore.prototype, 'read')
    const countOf = async (leaves: number) => {
      stages.mockImplementationOnce(() => ({
        epoch: leaves,
        at: Date.now(),
        recent: new Set(),
        held: HELD,
        debts: { ...noDebts(), count: leaves, after: '0xg' },
      }))
      expect((await count()).leaves).toBe(leaves)
    }
    await countOf(MANY_WALLETS - 1)
    expect(errors.mock.calls.flat().join()).not.toContain('solvency_nearly_full')
    await countOf(MANY_WALLETS)
    expect(errors.mock.calls.flat().join()).toContain(
      `"event":"solvency_nearly_full","message":"a count has at most 4194304 wallets","object":`,
    )
  })

  it('has no limit of recently paid wallets that one row could keep', async () => {
    const recent = Array.from({ length: 60_001 }, (_, at) => `0x${String(at).padStart(40, '0')}`)
    await runInDurableObject(solvency(env), (_, { storage }) => {
      const counts = new CountStore(storage.sql)
      const begun = { epoch: 1, at: 0, held: HELD, recent: new Set(recent), debts: noDebts() }
      counts.save(begun)
      counts.save(begun)
      expect([...(counts.read()?.recent ?? [])]).toEqual(recent)
      const rows = storage.sql.exec<{ size: number }>(
        'SELECT length(recent) AS size FROM counting UNION ALL SELECT length(wallets) FROM counting_recent',
      )
      for (const { size } of rows) expect(size).toBeLessThan(MAX_ROW_BYTES)
      counts.remove()
      counts.save({ ...begun, recent: new Set(['0xa']) })
      expect([...(counts.read()?.recent ?? [])]).toEqual(['0xa'])
      counts.remove()
    })
  })

  it('holds for more wallets than one chunk, and each of them is proven', async () => {
    const alice = await depositor(0)
    await settle(alice)
    await listWallets(2_500)
    await solvency(env).publish()
    const { rows } = await costsOf(() => solvency(env).publish())
    expect(rows).toBe(13)
    expect((await get('/api/solvency')).body.leaves).toBe(2501)
    expect(await failing(alice)).toEqual([])
    const found = await solvency(env).read(`0x${'2500'.padStart(40, '0')}`)
    const proven = { wallet: `0x${'2500'.padStart(40, '0')}`, proof: found!.proof }
    expect(found!.proof?.leaf.seq).toBe(2500)
    const checks = verifySolvency(found!.statement, proven)
    expect(checks.every(({ holds }) => holds)).toBe(true)
  })
})
