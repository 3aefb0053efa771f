import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import {
  drawableFrom,
  gasPrice,
  marketPrice,
  smallestWithdrawal,
  type GasDraw,
} from '../../../src/relayer/gas.ts'
import { forAll } from '../support/for-all.ts'

const ALLOWANCE = 1_000_000n

describe('the daily gas allowance of a wallet', () => {
  it('does not delay what draws nothing', () => {
    const spent = [{ at: 0, gas: ALLOWANCE }]
    expect(drawableFrom(spent, 0n, ALLOWANCE)).toBe(0)
  })

  it('delays a withdrawal above it until enough of the older draws are a day old', () => {
    const draws = [
      { at: 1_000, gas: 400_000n },
      { at: 3_000, gas: 300_000n },
      { at: 2_000, gas: 200_000n },
    ]
    expect(drawableFrom(draws, 100_000n, ALLOWANCE)).toBe(0)
    expect(drawableFrom(draws, 100_001n, ALLOWANCE)).toBe(1_000 + DAY_MS)
    expect(drawableFrom(draws, 500_001n, ALLOWANCE)).toBe(2_000 + DAY_MS)
  })

  it('never makes a withdrawal impossible: the first one each day passes, however large', () => {
    expect(drawableFrom([], 5n * ALLOWANCE, ALLOWANCE)).toBe(0)
    expect(drawableFrom([{ at: 7, gas: 1n }], 5n * ALLOWANCE, ALLOWANCE)).toBe(7 + DAY_MS)
    expect(drawableFrom([], 1n, 0n)).toBe(0)
  })

  it('is never exceeded in any 24 hours by draws that respect it', () => {
    const gas = fc.bigInt({ min: 1n, max: ALLOWANCE })
    const wish = fc.record({ gas, afterMs: fc.integer({ min: 0, max: DAY_MS }) })
    forAll(fc.array(wish, { maxLength: 30 }), (wishes) => {
      const draws: GasDraw[] = []
      let now = 0
      for (const { gas: wanted, afterMs } of wishes) {
        now += afterMs
        now = Math.max(
          now,
          drawableFrom(
            draws.filter(({ at }) => at > now - DAY_MS),
            wanted,
            ALLOWANCE,
          ),
        )
        draws.push({ at: now, gas: wanted })
      }
      for (const { at } of draws) {
        const day = draws.filter((draw) => draw.at > at - DAY_MS && draw.at <= at)
        expect(day.reduce((sum, draw) => sum + draw.gas, 0n) <= ALLOWANCE).toBe(true)
      }
    })
  })
})

describe('the smallest withdrawal', () => {
  const fixed = { ETH: 1_000n, USDG: 5n }
  const perGwei = { ETH: 600n, USDG: 3n }

  it('is the configured one while gas is cheap or its price is unknown', () => {
    expect(smallestWithdrawal({ fixed, perGwei }, null)).toEqual(fixed)
    expect(smallestWithdrawal({ fixed, perGwei }, 1_000_000_000n)).toEqual(fixed)
  })

  it('grows with the gas price in both tokens, rounded up', () => {
    expect(smallestWithdrawal({ fixed, perGwei }, 20_000_000_001n)).toEqual({
      ETH: 12_001n,
      USDG: 61n,
    })
  })

  it('ignores a price above the relayer’s maximum', () => {
    const market = { baseFeePerGas: 900n, priorityFeePerGas: 200n }
    expect(gasPrice(market, 2_000n)).toBe(1_100n)
    expect(gasPrice(market, 1_000n)).toBe(1_000n)
    expect(marketPrice(market)).toBe(1_100n)
  })
})
