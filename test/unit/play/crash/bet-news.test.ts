import { describe, expect, it } from 'vitest'
import type { StreamMessage } from '../../../../src/crash/stream.ts'
import { noBets, type ShownBet } from '../../../../src/crash/table-bets.ts'
import {
  countOf,
  hasGaps,
  withBetNews,
  withRead,
  type ShownBets,
} from '../../../../src/play/crash/bet-news.ts'
import { withResults } from '../../../../src/play/crash/news.ts'

const SEAT = { maxWei: { ETH: 1_000n, USDG: 1_000n }, wallet: 'me' }
const LIVE = { multiplier: null, payout: null }

function bet(wallet: string, amount: number, end: Partial<ShownBet> = {}): ShownBet {
  return { wallet, token: 'ETH', amountWei: String(amount), ...LIVE, ...end }
}

const totals = (count: number) => ({
  ETH: { count, amountWei: '100' },
  USDG: { count: 0, amountWei: '0' },
})

function betsOf(count: number, bets: ShownBet[], roundId = 7): StreamMessage {
  return { type: 'bets', roundId, totals: totals(count), bets }
}

function phase(name: 'betting' | 'flight' | 'results', roundId = 7, crashPoint: number | null = 2) {
  return { type: 'phase', phase: name, roundId, crashPoint } as StreamMessage
}

function win(wallet: string, mult: number): StreamMessage {
  const won = { wallet, token: 'ETH', amount: '10', mult, payout: String(10 * mult) } as const
  return { type: 'win', roundId: 7, win: won }
}

/** The bets after these messages. */
function after(...news: StreamMessage[]): ShownBets {
  let shown: ShownBets | null = null
  for (const message of news) shown = withBetNews(shown, message, SEAT)
  if (!shown) throw new Error('the messages had no round')
  return shown
}

const ends = ({ bets }: ShownBets) => bets.map(({ wallet, multiplier }) => [wallet, multiplier])

describe('the bets on the page', () => {
  it('are added as they come, largest first and each once', () => {
    const shown = after(
      betsOf(2, [bet('bob', 20), bet('me', 10)]),
      betsOf(3, [bet('carol', 30), bet('bob', 20)]),
    )
    expect(ends(shown)).toEqual([
      ['carol', null],
      ['bob', null],
      ['me', null],
    ])
    expect(countOf(shown)).toBe(3)
  })

  it('are marked as they are cashed out, lost or refunded', () => {
    const placed = betsOf(2, [bet('bob', 20), bet('me', 10)])
    const flight = [placed, phase('flight'), win('bob', 1.5)]
    expect(ends(after(...flight))).toEqual([
      ['bob', 1.5],
      ['me', null],
    ])
    expect(ends(after(...flight, phase('results')))).toEqual([
      ['bob', 1.5],
      ['me', 0],
    ])
    expect(ends(after(placed, phase('results', 7, null)))).toEqual([
      ['bob', 1],
      ['me', 1],
    ])
  })

  it('begin again with the next round, and ignore an earlier one', () => {
    const placed = betsOf(1, [bet('bob', 20)])
    const next = after(placed, phase('betting', 8))
    expect(next).toMatchObject({ roundId: 8, bets: [] })
    expect(withBetNews(next, placed, SEAT)).toBe(next)
  })

  it('take a win that no message had from a reading, but forget none', () => {
    const shown = after(
      betsOf(2, [bet('bob', 20), bet('me', 10)]),
      win('bob', 1.5),
      phase('results'),
    )
    const stale = { ...noBets(7, null), totals: totals(1), bets: [bet('bob', 20), bet('me', 10)] }
    expect(ends(withRead(shown, stale, SEAT))).toEqual(ends(shown))
    expect(countOf(withRead(shown, stale, SEAT))).toBe(2)
    const fresh = { ...stale, bets: [bet('me', 10, { multiplier: 1.9, payout: '19' })] }
    expect(ends(withRead(shown, fresh, SEAT))).toEqual([
      ['bob', 1.5],
      ['me', 1.9],
    ])
  })

  it('are the two hundred largest and the player’s own', () => {
    const many = Array.from({ length: 250 }, (_, index) => bet(`p${index}`, 100 + index))
    const { bets } = after(betsOf(251, [...many, bet('me', 1)]))
    expect(bets).toHaveLength(201)
    expect(bets[0]?.wallet).toBe('p249')
    expect(bets.at(-1)?.wallet).toBe('me')
  })

  it('have gaps if there are more than the messages had, up to two hundred', () => {
    expect(hasGaps(after(betsOf(2, [bet('bob', 20)])))).toBe(true)
    expect(hasGaps(after(betsOf(1, [bet('bob', 20)])))).toBe(false)
  })
})

describe('the results on the page', () => {
  it('are the newest fifty, each once, newest first', () => {
    const result = (roundId: number) => ({ roundId, crash: 2 })
    const known = Array.from({ length: 50 }, (_, index) => result(50 - index))
    const more = withResults(known, [result(51), result(50)])
    expect(more.map(({ roundId }) => roundId)).toEqual(
      Array.from({ length: 50 }, (_, index) => 51 - index),
    )
    expect(withResults(more, [result(51)])).toBe(more)
  })
})
