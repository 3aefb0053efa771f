import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { auditPlays } from '../../../src/audit/plays.ts'
import { testAll } from '../../../src/audit/statistics.ts'
import { emptyCrash, emptyDraws } from '../../../src/audit/tally.ts'
import type { PlayRow } from '../../../src/exports/rows.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { newestTables } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'

const TERMS = { edgeBps: 100, tables: newestTables() }
const STAKE = { token: 'USDG' as const, amountWei: 1_000_000n }

/** A game that its player picks tile by tile: it ends with the first mine, or after this many picks. */
function game(nonce: number, mines: number, picks: number): PlayRow {
  const seedOf = (of: number) => createHash('sha256').update(`${mines} ${of}`).digest('hex')
  const seed = seedOf(nonce)
  const draw = { seed, seedHash: commitmentOf(seed), clientSeed: 'tiles', nonce }
  const all = { mines, picked: [...Array(picks).keys()] }
  const { meta } = settle({ game: 'mines', params: all }, STAKE, draw, TERMS)
  const hit = all.picked.findIndex((tile) => meta.mines.includes(tile))
  const params = { mines, picked: hit === -1 ? all.picked : all.picked.slice(0, hit + 1) }
  return {
    wallet: '0x00000000000000000000000000000000000000aa',
    ...settle({ game: 'mines', params }, STAKE, draw, TERMS),
    nextSeedHash: commitmentOf(seedOf(nonce + 1)),
    settledAt: 1_000 * nonce,
    terms: null,
  }
}

const gamesOf = (count: number, mines: number, picks: number) =>
  Array.from({ length: count }, (_, nonce) => game(nonce, mines, picks))

/** Returns the tests that an audit of games fails. */
function failed(games: readonly PlayRow[]): string[] {
  const { returns } = auditPlays(games)
  const tallies = {
    crash: emptyCrash(),
    rounds: emptyDraws(),
    games: new Map(),
    returns,
  }
  return testAll(tallies).flatMap(({ name, result }) => (result?.passes === false ? [name] : []))
}

describe('the return of mines that are picked tile by tile', () => {
  it.each<[mines: number, picks: number]>([
    [20, 5],
    [10, 12],
    [5, 15],
  ])('is no evidence against an honest house with %i mines and up to %i picks', (mines, picks) => {
    const games = gamesOf(2_000, mines, picks)
    expect(auditPlays(games).findings).toEqual([])
    expect(failed(games)).toEqual([])
  })

  it('is noticed if it is too low or too high', () => {
    const games = gamesOf(2_000, 3, 3)
    const withPayouts = (payoutOf: (nonce: number, payout: string) => string) =>
      games.map((one) => ({ ...one, payout: payoutOf(one.nonce, one.payout) }))
    const tooLow = withPayouts((nonce, payout) => (nonce % 5 === 0 ? '0' : payout))
    expect(failed(tooLow)).toEqual(['mines: return in USDG'])
    const tooHigh = withPayouts((nonce, payout) => (nonce % 5 === 0 ? '1500000' : payout))
    expect(failed(tooHigh)).toEqual(['mines: return in USDG'])
  })
})
