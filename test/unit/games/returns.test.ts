import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { limboResult } from '../../../src/games/limbo.ts'
import { TILES } from '../../../src/games/mines.ts'
import { kenoReturn, plinkoReturn } from '../../../src/games/returns.ts'
import { PAY_TABLES } from '../../../src/games/tables.ts'
import { LIMBO_TARGETS, limboReturn, limboWins, minesReturn, returnsPage } from './returns.ts'

const EDGE_BPS = 100

/** What the tables were audited to return, in hundredths of a percent. */
function expectAudited({ numerator, denominator }: { numerator: bigint; denominator: bigint }) {
  expect(numerator * 10_000n >= 9_850n * denominator).toBe(true)
  expect(numerator * 10_000n <= 9_920n * denominator).toBe(true)
}

describe('the exact return', () => {
  const versions = PAY_TABLES.map((tables, index) => ({ version: index + 1, ...tables }))
  const plinkoTables = versions.flatMap(({ version, plinko }) =>
    Object.entries(plinko).flatMap(([rows, risks]) =>
      Object.entries(risks).map(([risk, pays]) => ({ version, rows: Number(rows), risk, pays })),
    ),
  )
  it.each(plinkoTables)(
    'of plinko with $rows rows at $risk risk is about 99 % in version $version',
    ({ rows, pays }) => {
      expect(pays).toHaveLength(rows + 1)
      expect(pays.toReversed()).toEqual(pays)
      expectAudited(plinkoReturn(pays))
    },
  )

  const kenoTables = versions.flatMap(({ version, keno }) =>
    Object.entries(keno).flatMap(([risk, tables]) =>
      Object.entries(tables).map(([picks, pays]) => ({
        version,
        risk,
        picks: Number(picks),
        pays,
      })),
    ),
  )
  it.each(kenoTables)(
    'of keno with $picks picks at $risk risk is about 99 % in version $version',
    ({ picks, pays }) => {
      expect(pays).toHaveLength(picks + 1)
      expectAudited(kenoReturn(pays))
    },
  )

  it('of mines is one less the edge, for every number of mines and picks', () => {
    for (let mines = 1; mines < TILES; mines++) {
      for (let picks = 1; picks + mines <= TILES; picks++) {
        const { numerator, denominator } = minesReturn(mines, picks, EDGE_BPS)
        expect(numerator * 100n).toBe(denominator * 99n)
      }
    }
  })

  it.each(LIMBO_TARGETS)(
    'of limbo at %i hundredths is one less the edge, to 2^-52 of it',
    (target) => {
      const wins = limboWins(target, EDGE_BPS)
      expect(limboResult(wins - 1n, EDGE_BPS)).toBeGreaterThanOrEqual(target)
      expect(limboResult(wins, EDGE_BPS)).toBeLessThan(target)
      const { numerator, denominator } = limboReturn(target, EDGE_BPS)
      const missing = 99n * denominator - numerator * 100n
      expect(missing >= 0n && missing < 100n * BigInt(target)).toBe(true)
    },
  )

  it('of everything is what reference/returns.md says', () => {
    const page = readFileSync(new URL('../../../reference/returns.md', import.meta.url), 'utf8')
    expect(page).toBe(returnsPage())
  })
})
