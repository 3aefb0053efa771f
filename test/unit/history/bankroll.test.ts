import { expect, it } from 'vitest'
import { sumPositions } from '../../../src/history/bankroll.ts'

/** The limit of D1 on a string. */
const MAX_BYTES = 2_000_000

it('the sum of positions is asked for in texts that D1 takes, however many wallets are recent', async () => {
  const bound: string[] = []
  const statement = { bind: (...texts: string[]) => void bound.push(...texts) }
  const db = { prepare: () => statement, batch: async () => [] }
  const wallets = Array.from({ length: 130_000 }, (_, index) => {
    return `0x${String(index).padStart(40, '0')}`
  })
  await sumPositions(db as unknown as D1Database, wallets, wallets)
  const lists = bound.filter((text) => text.startsWith('['))
  expect(Math.max(...lists.map(({ length }) => length))).toBeLessThan(MAX_BYTES)
  expect(lists.flatMap((text) => JSON.parse(text) as string[])).toEqual([...wallets, ...wallets])
})
