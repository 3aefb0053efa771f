import { describe, expect, it } from 'vitest'
import { isDue, mayHaveDecided, type RoundNow } from '../../../src/crash/due.ts'
import type { OpenBet } from '../../../src/ledger/me.ts'
import type { Token } from '../../../src/money/token.ts'
import { recordOf } from '../support/builders.ts'

const flight = (multiplier: number, decidedTokens: Token[] = []): RoundNow => ({
  roundId: 7,
  phase: 'flight',
  multiplier,
  decidedTokens,
})

const during = (phase: RoundNow['phase']): RoundNow => ({ ...flight(100), phase })

describe('a ledger asks for the result of its bet', () => {
  it.each<[string, number, number | null, RoundNow, boolean]>([
    ['while bets are taken', 7, 200, during('betting'), false],
    ['below its auto-cash-out', 7, 200, flight(199), false],
    ['from its auto-cash-out on', 7, 200, flight(200), true],
    ['in flight without one', 7, null, flight(5_000), false],
    ['once no bet in its token is in flight', 7, null, flight(458, ['USDG']), true],
    ['not when those of another token have left', 7, null, flight(458, ['ETH']), false],
    ['in the results', 7, null, during('results'), true],
    ['in a later round', 6, null, during('betting'), true],
    ['when the router is a round behind', 8, 101, flight(5_000), false],
  ])('%s', (_when, roundId, target, now, due) => {
    expect(isDue({ roundId, token: 'USDG', target }, now)).toBe(due)
  })
})

describe('a read asks a ledger again', () => {
  const { plan } = recordOf('committed', 900, { maxPayout: '1000' })
  const then = flight(200)
  const bet = {
    roundId: 7,
    token: 'USDG' as const,
    amountWei: '300',
    autoCashout: null,
    placedAt: 0,
  }

  it.each<[string, OpenBet | null, RoundNow, boolean]>([
    ['not while its bet stays in flight', bet, flight(332), false],
    ['once the limit per bet is reached', bet, flight(333), true],
    ['once its auto-cash-out is reached', { ...bet, autoCashout: 2.01 }, flight(201), true],
    ['once no bet in its token is in flight', bet, flight(201, ['USDG']), true],
    ['not without a bet', null, flight(333, ['USDG']), false],
    ['in the results, also without a bet', null, { ...then, phase: 'results' }, true],
    ['in the next round, also without a bet', null, { ...then, roundId: 8 }, true],
  ])('%s', (_when, openBet, now, isWanted) => {
    expect(mayHaveDecided(openBet, plan, then, now)).toBe(isWanted)
  })
})
