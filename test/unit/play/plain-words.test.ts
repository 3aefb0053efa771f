import { describe, expect, it } from 'vitest'
import { BETTING_CLOSED, BETTING_WAITS } from '../../../src/crash/refusals.ts'
import { plainWords } from '../../../src/play/plain-words.ts'

const RESETS_AT = Date.UTC(2026, 10, 22, 18, 30)

function reached(details: object): string {
  const problem = { code: 'limit_reached', message: 'for programs', details } as const
  return plainWords(problem as never, 'ETH')
}

describe('a player reads', () => {
  it('which limit a bet would pass, what is left of it, and when the bet fits', () => {
    const limit = { kind: 'wager', window: 'day', token: 'USDG', left: '2500000' }
    expect(reached({ ...limit, resetsAt: RESETS_AT })).toMatch(
      /^Your daily betting limit has 2\.5 USDG left\. You can bet this from .*2026.*\.$/,
    )
    expect(reached({ ...limit, resetsAt: null })).toBe(
      'Your daily betting limit has 2.5 USDG left. Bet less, or change the limit.',
    )
    const time = { kind: 'session', window: 'week', token: null, left: '1', resetsAt: null }
    expect(reached(time)).toContain('Your weekly time limit has 1 minute left.')
  })

  it('from which amounts to choose, or why they can choose none', () => {
    const message = 'Your balance is below the minimum.'
    const outOf = (details: { min: string; max: string }) =>
      plainWords({ code: 'amount_out_of_bounds', message, details }, 'ETH')
    const [smaller, larger] = ['1000000000000000', '20000000000000000']
    expect(outOf({ min: smaller, max: larger })).toBe(
      'Choose an amount from 0.001 ETH to 0.02 ETH.',
    )
    expect(outOf({ min: smaller, max: smaller })).toContain('from 0.001 ETH to 0.001 ETH')
    expect(outOf({ min: larger, max: smaller })).toBe(message)
  })

  it('whether a round has closed its bets or has yet to open them', () => {
    for (const { error } of [BETTING_CLOSED, BETTING_WAITS])
      expect(plainWords(error, 'ETH')).toBe(error.message)
  })

  it('until when they are excluded', () => {
    const excluded = (until: number | null) =>
      plainWords({ code: 'excluded', message: 'for programs', details: { until } }, 'ETH')
    expect(excluded(RESETS_AT)).toMatch(/excluded yourself from play until .*2026/)
    expect(excluded(null)).toContain('Limits shows until when')
  })
})
