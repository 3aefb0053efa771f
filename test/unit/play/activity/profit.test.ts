import { describe, expect, it } from 'vitest'
import type { Activity } from '../../../../src/activity/activity.ts'
import { changeOf, curveOf, profitsOf } from '../../../../src/play/activity/profit.ts'

function activity(fields: Partial<Activity>): Activity {
  return { seq: 1, at: 0, kind: 'limbo', token: 'ETH', amountWei: '10', payout: '0', ...fields }
}

describe('what an activity changed', () => {
  it.each<[string, Partial<Activity>, bigint]>([
    ['is the payout less the stake for a win', { payout: '25' }, 15n],
    ['is the stake for a loss', { payout: '0' }, -10n],
    ['is nothing for a refund', { kind: 'crash', payout: '10' }, 0n],
    ['is the amount of a deposit', { kind: 'deposit', payout: null }, 10n],
    ['is the amount that a withdrawal took', { kind: 'withdrawal', payout: null }, -10n],
    ['has the sign of a partner’s amount', { kind: 'partner', amountWei: '-7', payout: null }, -7n],
  ])('%s', (_what, fields, change) => {
    expect(changeOf(activity(fields))).toBe(change)
  })
})

describe('the profit', () => {
  it('adds up the bets of one token, oldest first, and no deposits', () => {
    const newestFirst = [
      activity({ payout: '30' }),
      activity({ token: 'USDG', payout: '99' }),
      activity({ kind: 'deposit', payout: null, amountWei: '500' }),
      activity({ payout: '0' }),
    ]
    expect(profitsOf(newestFirst, 'ETH')).toEqual([0n, -10n, 10n])
    expect(profitsOf([], 'ETH')).toEqual([0n])
  })

  it('is drawn from the left to the right, with its highest point at the top', () => {
    expect(curveOf([0n, -10n, 10n], 600, 160)).toEqual({ points: '0,80 300,160 600,0', zero: 80 })
    expect(curveOf([0n, 5n], 600, 160)).toEqual({ points: '0,160 600,0', zero: 160 })
    expect(curveOf([0n, 0n], 600, 160)).toEqual({ points: '0,0 600,0', zero: 0 })
  })
})
