import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { parts, sumPositions } from '../../../src/history/bankroll.ts'
import { HOUSE } from '../../../src/ledger/accounts.ts'

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
  expect(lists.flatMap((text) => JSON.parse(text) as string[])).toEqual([HOUSE, ...wallets])
})

/** A database with some positions, and how it was asked. */
class Positions {
  readonly #sqlite = new DatabaseSync(':memory:')
  readonly plans: string[] = []

  constructor() {
    const made = readFileSync('src/history/migrations/db/0001_decisions.sql', 'utf8')
    this.#sqlite.exec(made)
  }

  /** Adds a position, whose amounts follow from its number. */
  add(wallet: string, token: string, number: number, hasDeposited: boolean): void {
    const amount = (times: number) => parts(BigInt(number * times) * 10n ** 18n + 7n)
    const values = [
      wallet,
      token,
      1,
      '',
      '{"withdrawing":"5"}',
      0,
      Number(hasDeposited),
      '0',
      '0',
      3,
      1,
      9,
      ...[amount(1), amount(2), amount(4), amount(5), amount(6)].flat(),
      null,
    ]
    const places = values.map(() => '?').join(', ')
    this.#sqlite.prepare(`INSERT INTO ledger_positions VALUES (${places})`).run(...values)
  }

  get d1(): D1Database {
    const prepare = (query: string) => {
      const statement = { query, values: [] as string[] }
      return {
        ...statement,
        bind: (...values: string[]) => ({ ...statement, values }),
      }
    }
    const batch = async (statements: { query: string; values: string[] }[]) =>
      statements.map(({ query, values }) => {
        const plan = this.#sqlite.prepare(`EXPLAIN QUERY PLAN ${query}`).all(...values)
        this.plans.push(...plan.map(({ detail }) => String(detail)))
        return { results: this.#sqlite.prepare(query).all(...values) }
      })
    return { prepare, batch } as unknown as D1Database
  }
}

it('positions are summed by token in one scan of the table, which sorts nothing', async () => {
  const positions = new Positions()
  for (const [index, wallet] of [HOUSE, '0xa', '0xb', '0xc'].entries()) {
    positions.add(wallet, 'ETH', index + 1, wallet !== HOUSE)
    positions.add(wallet, 'USDG', (index + 1) * 10, wallet !== HOUSE && wallet !== '0xc')
  }
  const sums = await sumPositions(positions.d1, ['0xb', HOUSE], ['0xa'])
  const eth = (units: number, rows: number) => BigInt(units) * 10n ** 18n + BigInt(7 * rows)
  expect(sums.totals.ETH).toEqual({
    owedWei: eth(10, 4),
    houseWei: eth(20, 4),
    vaultWei: eth(40, 4),
    netDepositsWei: eth(36, 3),
    partnerWei: eth(50, 4),
    faucetWei: eth(60, 4),
  })
  expect(sums.totals.USDG.owedWei).toBe(eth(100, 4))
  // Of the wallets a and c: c has deposited one token only.
  expect(sums.settled).toEqual({
    depositors: 1,
    vault: { ETH: eth(24, 2), USDG: eth(240, 2) },
  })
  expect(sums.wallets).toBe(4)
  expect(sums.singly.get('0xa')).toEqual({
    vault: { ETH: eth(8, 1), USDG: eth(80, 1) },
    withdrawing: { ETH: 5n, USDG: 5n },
    nextNonce: 3,
    openWithdrawals: 1,
    at: 9,
  })
  expect(positions.plans.filter((step) => step.startsWith('SCAN ledger_positions'))).toHaveLength(1)
  expect(positions.plans.join()).not.toContain('TEMP B-TREE')
})

it('the positions of a new service come to nothing', async () => {
  const sums = await sumPositions(new Positions().d1, [], [])
  expect(sums.settled).toEqual({ depositors: 0, vault: { ETH: 0n, USDG: 0n } })
  expect([sums.wallets, sums.totals.ETH.netDepositsWei]).toEqual([0, 0n])
})
