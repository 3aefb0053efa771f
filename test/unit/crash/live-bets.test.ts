import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LiveBets, type LiveBet } from '../../../src/crash/live-bets.ts'
import { forAll, forMany } from '../support/for-all.ts'

const HIGHEST = 600

function booked(betId: string, amountWei: bigint, target: number | null = null): LiveBet {
  return { betId, amountWei, target, cashout: null }
}

/**
 * The published rule, one hundredth at a time, as if nobody cashed out by hand: bets with a target there leave; then,
 * if paying everyone left one hundredth more would pass the limit, all of them leave. A player who asks earlier leaves
 * then.
 */
function reference(
  bets: LiveBet[],
  limitWei: bigint,
  asked: Map<string, number>,
): Map<string, number> {
  const stays = new Map<string, number>()
  for (let multiplier = 100; multiplier <= HIGHEST; multiplier++) {
    const live = () => bets.filter(({ betId }) => !stays.has(betId))
    for (const { betId, target } of live()) if (target === multiplier) stays.set(betId, multiplier)
    const paid = bets.reduce((sum, { betId, amountWei }) => {
      return sum + (amountWei * BigInt(stays.get(betId) ?? 0)) / 100n
    }, 0n)
    const liveWei = live().reduce((sum, { amountWei }) => sum + amountWei, 0n)
    const wouldPass = liveWei * BigInt(multiplier + 1) > (limitWei - paid) * 100n
    for (const { betId } of live()) if (wouldPass) stays.set(betId, multiplier)
  }
  const leaves = bets.map(({ betId }) => {
    const multiplier = Math.min(stays.get(betId) ?? Infinity, asked.get(betId) ?? Infinity)
    return [betId, multiplier] as const
  })
  return new Map(leaves.filter(([, multiplier]) => multiplier !== Infinity))
}

/** Returns the book's result for the same bets if it is advanced only to these multipliers. */
function carriedOut(
  bets: LiveBet[],
  limitWei: bigint,
  asked: Map<string, number>,
  toldAt: number[],
): Map<string, number> {
  const book = new LiveBets(bets, limitWei)
  const cashouts = new Map<string, number>()
  const multipliers = new Set([...toldAt, ...asked.values(), HIGHEST])
  for (const multiplier of [...multipliers].sort((a, b) => a - b)) {
    for (const reached of book.reach(multiplier)) cashouts.set(reached.betId, reached.multiplier)
    for (const [betId, at] of asked) {
      if (at !== multiplier || cashouts.has(betId)) continue
      book.cashOut(betId, multiplier)
      cashouts.set(betId, multiplier)
    }
  }
  return cashouts
}

const anyFlight = fc
  .record({
    bets: fc.array(
      fc.record({
        amountWei: fc.bigInt({ min: 1n, max: 1_000n }),
        target: fc.option(fc.integer({ min: 101, max: HIGHEST })),
        asked: fc.option(fc.integer({ min: 100, max: HIGHEST })),
      }),
      { maxLength: 15 },
    ),
    /** In hundredths of the total stake: no round accepts bets beyond 1.01 times that. */
    limit: fc.integer({ min: 101, max: 700 }),
    toldAt: fc.array(fc.integer({ min: 100, max: HIGHEST }), { maxLength: 10 }),
  })
  .map(({ bets, limit, toldAt }) => {
    const ids = bets.map((_, index) => `bet ${index}`)
    const stakedWei = bets.reduce((sum, { amountWei }) => sum + amountWei, 0n)
    return {
      bets: bets.map(({ amountWei, target }, index) => booked(ids[index] ?? '', amountWei, target)),
      asked: new Map(
        bets.flatMap(({ asked }, index) => (asked === null ? [] : [[ids[index] ?? '', asked]])),
      ),
      limitWei: (stakedWei * BigInt(limit) + 99n) / 100n,
      toldAt,
    }
  })

describe('the bets in a flight', () => {
  it('leave at the published multiplier, however rarely the book is advanced', () => {
    forMany(500, anyFlight, ({ bets, limitWei, asked, toldAt }) => {
      const cashouts = carriedOut(bets, limitWei, asked, toldAt)
      expect(cashouts).toEqual(reference(bets, limitWei, asked))
    })
  })

  it('are never paid more in total than the round’s limit', () => {
    forAll(anyFlight, ({ bets, limitWei, asked, toldAt }) => {
      const cashouts = carriedOut(bets, limitWei, asked, toldAt)
      const paid = bets.reduce((sum, { betId, amountWei }) => {
        return sum + (amountWei * BigInt(cashouts.get(betId) ?? 0)) / 100n
      }, 0n)
      expect(paid <= limitWei).toBe(true)
    })
  })
})

describe('the exposure limit', () => {
  it('cashes everyone out at the last multiplier at which all can be paid', () => {
    const book = new LiveBets([booked('a', 100n), booked('b', 200n)], 1_000n)
    expect(book.nextStop()).toBe(333)
    expect(book.reach(332)).toEqual([])
    expect(book.reach(333)).toEqual([
      { betId: 'a', multiplier: 333 },
      { betId: 'b', multiplier: 333 },
    ])
    expect(book.nextStop()).toBeNull()
  })

  it('does not move when a player leaves early, so that nobody can steer it', () => {
    const book = new LiveBets([booked('a', 100n), booked('b', 200n)], 1_000n)
    book.cashOut('b', 150)
    expect(book.nextStop()).toBe(333)
  })

  it('is the same after a restart', () => {
    const left: LiveBet = { ...booked('b', 200n), cashout: 150 }
    expect(new LiveBets([booked('a', 100n), left], 1_000n).nextStop()).toBe(333)
  })

  it('moves up where a target is reached, as everyone could know before', () => {
    const book = new LiveBets([booked('a', 100n), booked('b', 200n, 150)], 1_000n)
    expect(book.reach(699)).toEqual([{ betId: 'b', multiplier: 150 }])
    expect(book.nextStop()).toBe(700)
  })

  it('first cashes out equal targets, then all others if nothing is left', () => {
    const book = new LiveBets([booked('auto', 100n, 200), booked('other', 100n)], 400n)
    expect(book.reach(200)).toEqual([
      { betId: 'auto', multiplier: 200 },
      { betId: 'other', multiplier: 200 },
    ])
  })
})

describe('a target', () => {
  it('is where its bet leaves, lowest first, even if the book is advanced late', () => {
    const book = new LiveBets(
      [booked('b', 1n, 300), booked('a', 1n, 200), booked('c', 1n, 400)],
      99n,
    )
    expect(book.nextStop()).toBe(200)
    expect(book.reach(399)).toEqual([
      { betId: 'a', multiplier: 200 },
      { betId: 'b', multiplier: 300 },
    ])
    expect(book.nextStop()).toBe(400)
  })

  it('is ignored once its bet has left', () => {
    const book = new LiveBets([booked('a', 1n, 200), booked('b', 1n, 300)], 99n)
    book.cashOut('a', 150)
    expect(book.nextStop()).toBe(300)
    expect(book.reach(250)).toEqual([])
  })
})

describe('a bet that is not live', () => {
  it('cannot be cashed out', () => {
    const book = new LiveBets([booked('a', 1n)], 99n)
    book.cashOut('a', 150)
    expect(() => book.cashOut('a', 150)).toThrow('bet a is not live')
  })
})
