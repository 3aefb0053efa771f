import { expect, it } from 'vitest'
import { noDebts, readDebts } from '../../../../durable-objects/solvency/debts.ts'

/** The positions that D1 returns for one query: as many as it was asked for, of wallets after one. */
function positionsAfter(after: string, limit: number) {
  const first = Number(after) + 1
  return Array.from({ length: limit }, (_, index) => ({
    wallet: `0x${(first + index).toString(16).padStart(40, '0')}`,
    version: 1,
    at: 0,
    unresolved: 0,
    owedETH: '0:7',
    owedUSDG: '0:7',
    partnerETH: '0:0',
    partnerUSDG: '0:1',
    depositedETH: '0',
    depositedUSDG: '0',
    withdrawnETH: '0',
    withdrawnUSDG: '0',
  }))
}

it('one stage reads a bounded number of pages, and the next continues from there', async () => {
  let queries = 0
  const db = {
    prepare: () => ({
      bind: (after: string, _house: string, limit: number) => ({
        all: async () => {
          queries++
          return { results: positionsAfter(after, queries <= 100 ? limit : 5) }
        },
      }),
    }),
  }
  const stage = { at: 1, recent: new Set<string>(), save: () => {} }
  const env = { DB: db } as unknown as Env
  const first = await readDebts(env, noDebts(), stage)
  expect([queries, first.isComplete, first.count]).toEqual([100, false, 409_600])
  const second = await readDebts(env, first, stage)
  expect([queries, second.isComplete, second.count]).toEqual([101, true, 409_605])
  expect(second.rows).toBe(401)
  expect(second.partner.USDG).toBe(409_605n)
})
