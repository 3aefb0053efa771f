import { describe, expect, it } from 'vitest'
import { flightMs, msToReach } from '../../../src/crash/curve.ts'
import { Round } from '../../../src/crash/round.ts'
import {
  BETS_CLOSE_AT,
  codeOf,
  OPENED_AT,
  placement,
  recordOf,
  roundOf,
  TAKEOFF_AT,
} from '../support/builders.ts'

/** Requests a cash-out like a round's object, which first advances the round to the present. */
function cashOut(round: Round, now: number, wallet = 'alice') {
  round.advance(now)
  const answer = round.cashOut(wallet, now)
  return 'bet' in answer ? { multiplier: answer.bet.cashout, fresh: answer.fresh } : codeOf(answer)
}

/** The outcome of each wallet's bet after the round has ended. */
function outcomesOf(round: Round): Record<string, number | string> {
  round.advance(TAKEOFF_AT + 1_000_000)
  return Object.fromEntries(
    round.bets.map(({ betId, wallet }) => {
      const outcome = round.outcome(betId)
      return [wallet, outcome.kind === 'won' ? outcome.multiplier : outcome.kind]
    }),
  )
}

describe('placing a bet', () => {
  it.each([
    ['as the round opens', OPENED_AT, null],
    ['in the last millisecond of betting', BETS_CLOSE_AT - 1, null],
    ['as bets close', BETS_CLOSE_AT, 'betting_closed'],
    ['a millisecond later', BETS_CLOSE_AT + 1, 'betting_closed'],
  ])('%s', (_when, now, code) => {
    const round = roundOf(300)
    expect(codeOf(round.place(placement(), now))).toBe(code)
    expect(round.bets).toHaveLength(code === null ? 1 : 0)
  })

  it('is refused in a round that waits for its pepper', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    expect(codeOf(round.place(placement(), BETS_CLOSE_AT - 1))).toBeNull()
    expect(codeOf(round.place(placement({ wallet: 'bob' }), BETS_CLOSE_AT))).toBe('betting_closed')
  })

  it('is refused once bets have closed, even if a clock goes back', () => {
    const round = roundOf(300, [{}])
    round.advance(BETS_CLOSE_AT)
    const late = placement({ wallet: 'bob' })
    expect(codeOf(round.place(late, BETS_CLOSE_AT - 1))).toBe('betting_closed')
    const restarted = new Round(round.record, round.bets)
    expect(codeOf(restarted.place(late, BETS_CLOSE_AT - 1))).toBe('betting_closed')
    expect(restarted.resumesAt).toBe(BETS_CLOSE_AT)
  })

  it('again under the same id changes nothing, even after bets close', () => {
    const round = roundOf(300)
    const first = round.place(placement(), OPENED_AT + 1)
    expect(round.place(placement(), OPENED_AT + 2)).toEqual(first)
    expect(round.place(placement(), BETS_CLOSE_AT)).toEqual(first)
    expect(round.bets).toEqual([first])
  })

  it('a second time in one round is refused', () => {
    const round = roundOf(300, [{}])
    expect(codeOf(round.place(placement({ betId: 'another' }), OPENED_AT))).toBe('bet_exists')
    expect(round.bets).toHaveLength(1)
  })

  it('is refused for more than a quarter of the remaining limit of its token', () => {
    const round = roundOf(300, [{ wallet: 'alice', amountWei: 100n }], { maxRoundPayout: '404' })
    const place = (wallet: string, amountWei: bigint, token: 'ETH' | 'USDG' = 'ETH') =>
      codeOf(round.place(placement({ wallet, amountWei, token }), OPENED_AT))
    expect(place('bob', 76n)).toBe('payout_limit')
    expect(place('bob', 75n)).toBeNull()
    expect(place('carol', 57n)).toBe('payout_limit')
    expect(place('carol', 100n, 'USDG')).toBeNull()
  })
})

describe('cashing out', () => {
  const crashAt = TAKEOFF_AT + flightMs(300)

  it.each([
    ['as the round opens', OPENED_AT, 'not_in_flight'],
    ['in the last millisecond of betting', TAKEOFF_AT - 1, 'not_in_flight'],
    ['as it takes off', TAKEOFF_AT, { multiplier: 100, fresh: true }],
    ['just before 2.00 shows', TAKEOFF_AT + 11_552, { multiplier: 199, fresh: true }],
    ['as 2.00 shows', TAKEOFF_AT + 11_553, { multiplier: 200, fresh: true }],
    ['in the last millisecond of the flight', crashAt - 1, { multiplier: 300, fresh: true }],
    ['as the round crashes', crashAt, 'already_crashed'],
    ['after the results', crashAt + 60_000, 'already_crashed'],
  ])('%s', (_when, now, answer) => {
    expect(cashOut(roundOf(300, [{}]), now)).toEqual(answer)
  })

  it('pays stake times multiplier, rounded down', () => {
    const round = roundOf(300, [{ amountWei: 33n }])
    cashOut(round, TAKEOFF_AT + 11_552)
    expect(round.outcome('bet of alice')).toEqual({ kind: 'won', multiplier: 199, payoutWei: '65' })
  })

  it('again returns the first result, in flight and after the crash', () => {
    const round = roundOf(300, [{}])
    cashOut(round, TAKEOFF_AT + 11_553)
    const first = { multiplier: 200, fresh: false }
    expect(cashOut(round, TAKEOFF_AT + 11_900)).toEqual(first)
    expect(cashOut(round, crashAt)).toEqual(first)
  })

  it('after a reached auto-cash-out returns the auto-cash-out’s result', () => {
    const round = roundOf(300, [{ autoCashout: 150 }])
    const auto = { multiplier: 150, fresh: false }
    expect(cashOut(round, TAKEOFF_AT + 11_553)).toEqual(auto)
    expect(cashOut(round, crashAt)).toEqual(auto)
  })

  it('by hand takes precedence before the auto-cash-out is reached', () => {
    const round = roundOf(300, [{ autoCashout: 250 }])
    expect(cashOut(round, TAKEOFF_AT + 11_553)).toEqual({ multiplier: 200, fresh: true })
    expect(outcomesOf(round)).toEqual({ alice: 200 })
  })

  it('without a bet is refused as such in every phase', () => {
    const round = roundOf(300, [{}])
    for (const now of [OPENED_AT, TAKEOFF_AT, crashAt]) {
      expect(cashOut(round, now, 'bob')).toBe('no_open_bet')
    }
  })

  it('is too late for everyone if the crash is at 1.00', () => {
    const round = roundOf(100, [{}, { wallet: 'bob', autoCashout: 101 }])
    expect(cashOut(round, TAKEOFF_AT - 1)).toBe('not_in_flight')
    expect(cashOut(round, TAKEOFF_AT)).toBe('already_crashed')
    expect(outcomesOf(round)).toEqual({ alice: 'lost', bob: 'lost' })
  })
})

describe('an auto-cash-out', () => {
  it('at the crash point itself pays: the player wins a tie', () => {
    const round = roundOf(235, [{ autoCashout: 235 }, { wallet: 'bob', autoCashout: 236 }])
    expect(outcomesOf(round)).toEqual({ alice: 235, bob: 'lost' })
  })

  it('is carried out in the first millisecond that shows its multiplier', () => {
    const round = roundOf(300, [{ autoCashout: 200 }])
    expect(round.advance(TAKEOFF_AT + 11_552).cashedOut).toEqual([])
    const { cashedOut } = round.advance(TAKEOFF_AT + 11_553)
    expect(cashedOut).toMatchObject([{ cashout: 200, cashedOutAt: TAKEOFF_AT + 11_553 }])
  })

  it('pays exactly its target and counts at its own time, even a minute late', () => {
    const round = roundOf(300, [{ autoCashout: 150 }])
    const { cashedOut, ended } = round.advance(TAKEOFF_AT + 78_000)
    expect(ended).toBe(true)
    expect(cashedOut).toMatchObject([{ cashout: 150, cashedOutAt: TAKEOFF_AT + msToReach(150) }])
    expect(round.record.endedAt).toBe(TAKEOFF_AT + flightMs(300))
  })
})

describe('the published limits', () => {
  it('cash a bet out if its payout would exceed the limit per bet', () => {
    const limits = { maxPayout: '1000' }
    const round = roundOf(900, [{ amountWei: 300n }, { wallet: 'bob', amountWei: 100n }], limits)
    expect(outcomesOf(round)).toEqual({ alice: 333, bob: 'lost' })
    expect(round.outcome('bet of alice')).toMatchObject({ payoutWei: '999' })
  })

  it('cash out every bet in a token if their total payout would reach the round’s limit', () => {
    const bets = [
      { wallet: 'alice', amountWei: 100n },
      { wallet: 'bob', amountWei: 200n, autoCashout: 500 },
      { wallet: 'carol', amountWei: 100n, token: 'USDG' as const, autoCashout: 500 },
    ]
    const round = roundOf(900, bets, { maxRoundPayout: '1000' })
    expect(outcomesOf(round)).toEqual({ alice: 333, bob: 333, carol: 500 })
  })

  it('show in which token everyone has left, but not before', () => {
    const bets = [
      { wallet: 'alice', amountWei: 100n },
      { wallet: 'bob', amountWei: 200n, autoCashout: 500 },
      { wallet: 'carol', amountWei: 100n, token: 'USDG' as const },
    ]
    const round = roundOf(900, bets, { maxRoundPayout: '1000' })
    const decidedAt = (now: number) => {
      round.advance(now)
      return round.view(now).decidedTokens
    }
    const forcedAt = TAKEOFF_AT + msToReach(333)
    expect([TAKEOFF_AT - 1, forcedAt - 1].map(decidedAt)).toEqual([[], []])
    expect(decidedAt(forcedAt)).toEqual(['ETH'])
    expect(new Round(round.record, round.bets).view(forcedAt).decidedTokens).toEqual(['ETH'])
    expect(decidedAt(TAKEOFF_AT + flightMs(900))).toEqual([])
  })

  it('stay where they are when a player cashes out early', () => {
    const bets = [
      { wallet: 'alice', amountWei: 100n },
      { wallet: 'bob', amountWei: 200n },
    ]
    const round = roundOf(900, bets, { maxRoundPayout: '1000' })
    expect(cashOut(round, TAKEOFF_AT + 11_553, 'bob')).toEqual({ multiplier: 200, fresh: true })
    expect(outcomesOf(round)).toEqual({ alice: 333, bob: 200 })
  })
})

describe('the state of a bet in a round', () => {
  it('is live until it is cashed out or the round crashes', () => {
    const round = roundOf(300, [{}, { wallet: 'bob', autoCashout: 150 }])
    round.advance(TAKEOFF_AT + 11_553)
    expect(round.outcome('bet of alice')).toEqual({ kind: 'live' })
    expect(round.outcome('bet of bob')).toMatchObject({ kind: 'won', payoutWei: '150' })
    round.advance(TAKEOFF_AT + flightMs(300))
    expect(round.outcome('bet of alice')).toEqual({ kind: 'lost' })
  })

  it('is never placed for an unknown bet', () => {
    expect(roundOf(300, [{}]).outcome('bet of bob')).toEqual({ kind: 'never_placed' })
  })
})

describe('a round restored from its stored rows', () => {
  it('leaves them unchanged: only its own bets move', () => {
    const written = roundOf(300, [{ autoCashout: 200 }])
    const again = new Round(written.record, written.bets)
    again.advance(TAKEOFF_AT + 11_553)
    expect(again.bets).toMatchObject([{ cashout: 200 }])
    expect(written.bets).toMatchObject([{ cashout: null }])
    again.advance(TAKEOFF_AT + flightMs(300))
    expect(written.record.status).toBe('live')
  })
})

describe('the end of a round', () => {
  it('is reported once', () => {
    const round = roundOf(300, [{ autoCashout: 200 }])
    const crashAt = TAKEOFF_AT + flightMs(300)
    expect(round.advance(crashAt - 1).ended).toBe(false)
    expect(round.advance(crashAt).ended).toBe(true)
    expect(round.advance(crashAt)).toEqual({ closed: false, cashedOut: [], ended: false })
  })

  it('includes the twenty newest cash-outs, newest first', () => {
    const bets = Array.from({ length: 25 }, (_, index) => ({
      wallet: `player ${index}`,
      autoCashout: 110 + index,
    }))
    const round = roundOf(300, bets)
    outcomesOf(round)
    const { wins } = round.view(TAKEOFF_AT)
    const newest = Array.from({ length: 20 }, (_, index) => 134 - index)
    expect(wins.map(({ multiplier }) => multiplier)).toEqual(newest)
    expect(wins[0]).toEqual({
      wallet: 'player 24',
      token: 'ETH',
      amountWei: '100',
      multiplier: 134,
      payoutWei: '134',
      at: TAKEOFF_AT + msToReach(134),
    })
  })
})
