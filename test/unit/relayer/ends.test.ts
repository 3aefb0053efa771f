import { describe, expect, it } from 'vitest'
import { endByLogs } from '../../../src/relayer/payout.ts'
import { isWorthRecording } from '../../../src/relayer/result.ts'

describe('a withdrawal whose nonce is used on chain', () => {
  const order = { token: 'USDG', amountWei: '5' } as const
  const paid = { kind: 'withdrawn', token: 'USDG', amountWei: 5n } as const

  it.each([
    ['was paid: confirmed', paid, 'confirmed'],
    ['was burned: failed', { kind: 'burned', token: null, amountWei: null }, 'failed'],
    ['paid another amount: undecided', { ...paid, amountWei: 6n }, null],
    ['paid another token: undecided', { ...paid, token: 'ETH' }, null],
    ['paid an unknown token: undecided', { ...paid, token: null }, null],
    ['is in no log: undecided', null, null],
  ] as const)('%s', (_what, use, end) => {
    expect(endByLogs(order, use)).toBe(end)
  })
})

describe('the house’s result is worth recording', () => {
  const last = { resultWei: '7', at: 0 }
  const minutes = 60_000

  it.each([
    ['for the first time', null, { resultWei: '7', at: 0 }, true],
    ['not immediately after it changes', last, { resultWei: '8', at: 5 * minutes - 1 }, false],
    ['if it has changed after five minutes', last, { resultWei: '8', at: 5 * minutes }, true],
    ['not while it is unchanged', last, { resultWei: '7', at: 30 * minutes - 1 }, false],
    ['if the last record is half an hour old', last, { resultWei: '7', at: 30 * minutes }, true],
  ])('%s', (_when, before, next, is) => {
    expect(isWorthRecording(before, next)).toBe(is)
  })
})
