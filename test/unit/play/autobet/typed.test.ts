import { describe, expect, it } from 'vitest'
import type { Unit } from '../../../../src/money/token.ts'
import { followPlayer, readPlan, typed, type Amounts } from '../../../../src/play/autobet/typed.ts'
import { FUN_WALLET } from '../../../../src/play/fun/fun.ts'

type Fields = Partial<typeof typed.value & Amounts>

/** Reads a plan whose amounts were typed for ether. */
function read(
  { stopProfit = '', stopLoss = '', maxStake = '', ...fields }: Fields,
  token: Unit = 'ETH',
) {
  const amounts = { ...typed.value.amounts, ETH: { stopProfit, stopLoss, maxStake } }
  return readPlan({ ...typed.value, ...fields, amounts }, token)
}

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

  it('does not take the amounts of one token for those of another', () => {
    const none = { stopProfitWei: null, stopLossWei: null }
    const fields = { stopProfit: '100', stopLoss: '50' }
    expect(read(fields, 'USDG')).toMatchObject(none)
    expect(read(fields, 'FUN')).toMatchObject(none)
  })

  it('is no longer automatic once its player leaves fun chips', () => {
    followPlayer(FUN_WALLET)
    typed.patch({ isAuto: true })
    followPlayer(FUN_WALLET)
    expect(typed.value.isAuto).toBe(true)
    followPlayer('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
    expect(typed.value.isAuto).toBe(false)
    followPlayer(undefined)
  })
})
