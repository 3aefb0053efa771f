import { describe, expect, it } from 'vitest'
import { endByLogs } from '../../../src/relayer/payout.ts'

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
