import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import {
  checkOpen,
  endPostings,
  openPostings,
  openText,
  heldPayoutOf,
  pickPostings,
  shownEnd,
  shownGame,
  type OpenRequest,
} from '../../../../src/games/mines/open.ts'
import { maxPicksOf, minesMultiplier, TILES } from '../../../../src/games/mines/rule.ts'
import { emptyBalances, post } from '../../../../src/ledger/accounts.ts'
import type { HeldGame } from '../../../../src/ledger/head.ts'
import { addToTotals, emptyTotals } from '../../../../src/ledger/totals.ts'
import { scaleDown } from '../../../../src/money/rational.ts'
import { ALL_OPEN } from '../../support/builders.ts'
import { forAll } from '../../support/for-all.ts'

const SEED = 'ab'.repeat(32)

const request = (change: Partial<OpenRequest> = {}): OpenRequest => ({
  token: 'USDG',
  amountWei: 1_000_000n,
  mines: 3,
  maxPicks: null,
  clientSeed: 'mine',
  nonce: null,
  edgeBps: 100,
  tables: 1,
  min: 10_000n,
  max: 500_000_000n,
  maxPayout: 500_000_000_000n,
  terms: SEED,
  seenTerms: null,
  minPlayMs: 0,
  modes: ALL_OPEN,
  ...change,
})

const held = (change: Partial<HeldGame> = {}): HeldGame => ({
  nonce: 4,
  seed: SEED,
  nextSeedHash: commitmentOf('cd'.repeat(32)),
  clientSeed: 'mine',
  token: 'USDG',
  amountWei: 1_000_000n,
  mines: 3,
  maxPicks: 22,
  picked: [],
  edgeBps: 100,
  tables: 1,
  terms: SEED,
  openedAt: 5,
  ...change,
})

const anyGame = fc
  .record({
    amountWei: fc.bigInt({ min: 1n, max: 10n ** 24n }),
    mines: fc.integer({ min: 1, max: TILES - 1 }),
    edgeBps: fc.integer({ min: 0, max: 5_000 }),
    picks: fc.integer({ min: 0, max: TILES - 1 }),
  })
  .map(({ picks, ...game }) => {
    const picked = Array.from({ length: Math.min(picks, TILES - game.mines) }, (_, tile) => tile)
    return held({ ...game, picked })
  })

describe('a game of mines, tile by tile', () => {
  it('pays after each pick what the same tiles pay when they are picked at once', () => {
    const game = held({ picked: [3, 9] })
    const atOnce = minesMultiplier({ mines: 3, picked: [3, 9] }, { edgeBps: 100 })
    expect(heldPayoutOf(game)).toBe(scaleDown(game.amountWei, atOnce))
    expect(shownGame(game)).toMatchObject({ multiplier: 1.2857, next: 1.4785, payout: '1285714' })
  })

  it('shows nothing of its seed', () => {
    expect(JSON.stringify(shownGame(held({ picked: [1] })))).not.toContain(SEED)
  })

  it('shows no further multiplier once it has ended', () => {
    const game = held({ picked: [3, 9] })
    expect(shownEnd(game, false)).toEqual({ ...shownGame(game), next: null })
    const lost = { multiplier: 0, next: null, payout: '0' }
    expect(shownEnd(game, true)).toEqual({ ...shownGame(game), ...lost })
  })

  it('ends with the last pick within the payout limit', () => {
    expect(maxPicksOf(request())).toBe(22)
    expect(maxPicksOf(request({ maxPayout: 1_285_714n }))).toBe(2)
    expect(maxPicksOf(request({ maxPayout: 1_285_713n }))).toBe(1)
    expect(maxPicksOf(request({ mines: 24 }))).toBe(1)
  })

  it('is refused if its first pick could pay more than the limit', () => {
    const refusal = checkOpen(request({ maxPayout: 1_124_999n }), 4, 10n ** 9n)
    expect(refusal?.error).toMatchObject({
      code: 'payout_limit',
      details: { maxPayout: '1124999', maxAmountWei: '999999' },
    })
    expect(checkOpen(request({ maxPayout: 1_125_000n }), 4, 10n ** 9n)).toBeNull()
  })

  it('is refused if its player asks for more picks than the limit allows', () => {
    const asking = (maxPicks: number) =>
      checkOpen(request({ maxPicks, maxPayout: 1_285_714n }), 4, 10n ** 9n)?.error
    expect(asking(1)).toBeUndefined()
    expect(asking(2)).toBeUndefined()
    expect(asking(3)).toMatchObject({
      code: 'payout_limit',
      details: { maxPayout: '1285714', maxPicks: 2 },
    })
  })

  it('is another game if its player asks for another last pick', () => {
    const texts = [null, 2, 3].map((maxPicks) => openText(request({ maxPicks })))
    expect(new Set(texts).size).toBe(3)
    expect(openText(request())).toBe('[3,"USDG","1000000","mine"]')
  })

  it('always holds its current payout, and ends with nothing held', () => {
    forAll(anyGame, fc.boolean(), (game, isLost) => {
      const isOver = isLost && game.picked.length > 0
      const start = emptyBalances()
      start.USDG = { ...start.USDG, chips: game.amountWei, vault: -game.amountWei }
      let balances = post(start, openPostings(game))
      let before: HeldGame = { ...game, picked: [] }
      for (let picks = 1; picks <= game.picked.length; picks++) {
        const after = { ...game, picked: game.picked.slice(0, picks) }
        balances = post(balances, pickPostings(before, after))
        expect(balances.USDG.in_play).toBe(heldPayoutOf(after))
        before = after
      }
      const payout = isOver ? 0n : heldPayoutOf(game)
      const postings = endPostings(game, game.picked.length, payout)
      balances = post(balances, postings)
      expect(balances.USDG).toMatchObject({ in_play: 0n, chips: payout })
      const totals = addToTotals(emptyTotals(), {
        operationId: 'entropy:4',
        request: '',
        postings,
      })
      const isPlayed = game.picked.length > 0
      expect(totals.USDG).toMatchObject({
        wagered: isPlayed ? game.amountWei : 0n,
        returned: isPlayed ? payout : 0n,
        bets: isPlayed ? 1n : 0n,
      })
    })
  })
})
