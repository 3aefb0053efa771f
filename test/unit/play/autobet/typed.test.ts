import { describe, expect, it } from 'vitest'
import { readPlan, typed } from '../../../../src/play/autobet/typed.ts'

const read = (fields: Partial<typeof typed.value>) => readPlan({ ...typed.value, ...fields }, 'ETH')

describe('a typed plan', () => {
  it('has exact amounts in smallest units, and no end without a number of bets', () => {
    const fields = { count: ' ', stopProfit: '0,5', stopLoss: '1.000000000000000001' }
    expect(read({ ...fields, onLoss: 'raise', lossPercent: '50' })).toMatchObject({
      count: null,
      stopProfitWei: '500000000000000000',
      stopLossWei: '1000000000000000001',
      onWin: { kind: 'reset' },
      onLoss: { kind: 'raise', percent: 50 },
    })
  })

  it.each([
    ['0 bets', { count: '0' }, 'Enter a number of bets'],
    ['half a bet', { count: '1.5' }, 'Enter a number of bets'],
    ['a raise by nothing', { onWin: 'raise', winPercent: '0' }, 'Raise the stake by 1 to 1,000'],
    ['a stop at a word', { stopLoss: 'all' }, 'Enter the profit and the loss'],
    ['a stop at nothing', { stopProfit: '0' }, 'Enter the profit and the loss'],
  ] as const)('is refused with %s', (_name, fields, message) => {
    expect(read(fields)).toContain(message)
  })
})
