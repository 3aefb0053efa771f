import { assert, constant, integer, oneof, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortAmount, steadyAmount } from '../../../src/play/amounts.ts'

describe('a shortened amount', () => {
  it.each<[string, bigint, 'ETH' | 'USDG']>([
    ['0', 0n, 'ETH'],
    ['0.0000525', 52_500_000_000_000n, 'ETH'],
    ['0.00005', 50_000_000_000_000n, 'ETH'],
    ['0.001997', 1_997_368_421_052_631n, 'ETH'],
    ['1,234.56789', 1_234_567_899_999_999_999_999n, 'ETH'],
    ['0.000000000000000001', 1n, 'ETH'],
    ['10.1', 10_100_000n, 'USDG'],
    ['0.0105', 10_500n, 'USDG'],
    ['100', 100_000_000n, 'USDG'],
  ])('is %s', (text, amountWei, token) => {
    expect(shortAmount(amountWei, token)).toBe(text)
  })

  it('never shows a payout of 1.01 times a stake or more as equal to the stake', () => {
    // From 0.00001 ETH and 0.01 USDG up, evenly across all magnitudes.
    const size = oneof(
      record({ token: constant('ETH' as const), digits: integer({ min: 11, max: 20 }) }),
      record({ token: constant('USDG' as const), digits: integer({ min: 2, max: 9 }) }),
    )
    const multiplier = integer({ min: 101, max: 300 })
    assert(
      property(
        size,
        integer({ min: 100, max: 999 }),
        multiplier,
        ({ token, digits }, part, times) => {
          const stakeWei = BigInt(part) * 10n ** BigInt(digits)
          const payoutWei = (stakeWei * BigInt(times)) / 100n
          expect(shortAmount(payoutWei, token)).not.toBe(shortAmount(stakeWei, token))
        },
      ),
    )
  })

  it('keeps its width while it grows', () => {
    const grown = [500, 502, 510, 599].map((times) =>
      steadyAmount(10n ** 11n * BigInt(times), 'ETH'),
    )
    expect(grown).toEqual(['0.00005000', '0.00005020', '0.00005100', '0.00005990'])
    expect(steadyAmount(1_500_000n, 'USDG')).toBe('1.50')
  })
})
