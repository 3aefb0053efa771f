import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  betaBelow,
  binomialAtMost,
  binomialTest,
  chiSquaredAbove,
  chiSquaredQuantile,
  clopperPearson,
  logGamma,
  normalAbove,
  normalQuantile,
} from '../../../src/audit/distributions.ts'
import { forAll } from '../support/for-all.ts'

const anyTrials = fc
  .record({ n: fc.integer({ min: 1, max: 60 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ n, share }) => ({ n, k: Math.round(share * n) }))
const anyChance = fc.double({ min: 0.001, max: 0.999, noNaN: true })

function binomialSum(k: number, n: number, p: number): number {
  let [term, sum] = [(1 - p) ** n, 0]
  for (let i = 0; i <= k; i++) {
    sum += term
    term *= ((n - i) / (i + 1)) * (p / (1 - p))
  }
  return sum
}

describe('the distributions', () => {
  it.each([
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4: critical values of χ².
    [3.841, 1, 0.05],
    [18.307, 10, 0.05],
    [29.588, 10, 0.001],
    [123.225, 99, 0.05],
    [148.23, 99, 0.001],
  ])(
    'have the published critical value %d of χ² with %i degrees of freedom',
    (value, degrees, p) => {
      expect(chiSquaredAbove(value, degrees)).toBeCloseTo(p, 4)
      expect(chiSquaredQuantile(p, degrees)).toBeCloseTo(value, 2)
    },
  )

  it('have the published quantiles of the normal distribution', () => {
    expect(normalQuantile(0.025)).toBeCloseTo(1.959964, 5)
    expect(normalQuantile(0.0005)).toBeCloseTo(3.290527, 5)
    expect(normalAbove(-1)).toBeCloseTo(0.8413447, 6)
  })

  it('have the factorials', () => {
    expect(logGamma(11)).toBeCloseTo(Math.log(3_628_800), 10)
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 10)
  })

  it('sum the binomial distribution', () => {
    forAll(fc.tuple(anyTrials, anyChance), ([{ n, k }, p]) => {
      expect(binomialAtMost(k, n, p)).toBeCloseTo(binomialSum(k, n, p), 9)
    })
  })

  it('are complementary', () => {
    forAll(fc.tuple(anyChance, anyTrials), ([x, { n, k }]) => {
      expect(betaBelow(x, k + 1, n + 1) + betaBelow(1 - x, n + 1, k + 1)).toBeCloseTo(1, 10)
    })
  })

  it('reject a coin that falls on one side only', () => {
    expect(binomialTest(10, 10, 0.5)).toBeCloseTo(2 / 1_024, 12)
    expect(binomialTest(5, 10, 0.5)).toBe(1)
  })
})

describe("Clopper's and Pearson's interval", () => {
  it('is the published one', () => {
    // R: binom.test(7, 20)$conf.int
    const [low, high] = clopperPearson(7, 20, 0.05)
    expect([low, high]).toEqual([expect.closeTo(0.1539092, 6), expect.closeTo(0.5921885, 6)])
  })

  it('contains the true chance with at least its level, summed over all counts', () => {
    forAll(fc.tuple(fc.integer({ min: 1, max: 40 }), anyChance), ([n, p]) => {
      let covered = 0
      for (let k = 0; k <= n; k++) {
        const [low, high] = clopperPearson(k, n, 0.05)
        if (low <= p && p <= high)
          covered += binomialSum(k, n, p) - (k > 0 ? binomialSum(k - 1, n, p) : 0)
      }
      expect(covered).toBeGreaterThan(0.95 - 1e-9)
    })
  })
})
