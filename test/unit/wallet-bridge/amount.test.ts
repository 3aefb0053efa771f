import { describe, expect, it } from 'vitest'
import { decideAmount } from '../../../src/wallet-bridge/amount.ts'

const pathOf = (decided: ReturnType<typeof decideAmount>) =>
  typeof decided === 'bigint' ? decided : decided.path

describe('the amount of a transaction', () => {
  it.each<[string | undefined, bigint | undefined, bigint | string]>([
    [undefined, -1_000n, -1_000n],
    ['-0.001', undefined, -1_000n],
    ['-0.001', -1_000n, -1_000n],
    ['0.30000000000000004', 300_000n, 300_000n],
    ['0', 0n, 0n],
    ['0', -1_000n, 'amount'],
    ['-0.001', 1_000n, 'amount'],
    ['0.001', 1_001n, 'amount'],
    ['1e400', 1n, 'amount'],
    ['0.30000000000000004', undefined, 'amount'],
    [undefined, undefined, 'amountWei'],
  ])('of %s and %s is %s', (amount, amountWei, expected) => {
    expect(pathOf(decideAmount('USDG', { amount, amountWei }))).toBe(expected)
  })
})
