import { describe, expect, it } from 'vitest'
import {
  endByEvents,
  isSamePayout,
  pauseMs,
  restMs,
  type WithdrawalOrder,
} from '../../../src/relayer/payout.ts'

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
    expect(endByEvents(order, use)).toBe(end)
  })
})

describe('an order under a nonce that is known', () => {
  const order: WithdrawalOrder = {
    kind: 'withdrawal',
    vaultId: '1:0x',
    player: '0xP',
    token: 'USDG',
    amountWei: '5',
    nonce: 0,
    signature: '0x01',
    isSmall: false,
  }

  it.each([
    ['another signature', { signature: '0x02' }, true],
    ['another amount', { amountWei: '6' }, false],
    ['another token', { token: 'ETH' }, false],
  ] as const)('with %s pays the same or not', (_what, other, isSame) => {
    expect(isSamePayout({ ...order, ...other }, order)).toBe(isSame)
  })

  it('is no payment of the same if it is of another kind', () => {
    const result = {
      kind: 'result',
      vaultId: '1:0x',
      token: 'USDG',
      resultWei: '5',
      at: 0,
    } as const
    expect(isSamePayout(result, order)).toBe(false)
  })
})

describe('an order that cannot be paid', () => {
  it('waits for 15 seconds, and then for twice as long each time', () => {
    const pauses = [0, 15_000, 30_000].map((pausedMs) => pauseMs('withdraw', pausedMs))
    expect(pauses).toEqual([15_000, 30_000, 60_000])
  })

  it('is tried each hour at least, and a prize every five minutes, whatever it waited for before', () => {
    expect(pauseMs('withdraw', 72_000_000)).toBe(3_600_000)
    expect(pauseMs('prize', 240_000)).toBe(300_000)
  })
})

describe('after failed transactions', () => {
  const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

  it('a withdrawal waits a minute, then twice as long each time, up to a week', () => {
    expect([1, 2, 3].map((wasted) => restMs('withdraw', wasted))).toEqual(
      [1, 2, 4].map((minutes) => minutes * MINUTE_MS),
    )
    expect([14, 15, 100].map((wasted) => restMs('withdraw', wasted))).toEqual([
      8_192 * MINUTE_MS,
      7 * DAY_MS,
      7 * DAY_MS,
    ])
  })

  it('a prize waits up to an hour', () => {
    expect([6, 7, 100].map((wasted) => restMs('prize', wasted))).toEqual([
      32 * MINUTE_MS,
      HOUR_MS,
      HOUR_MS,
    ])
  })
})
