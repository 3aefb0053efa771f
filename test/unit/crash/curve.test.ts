import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flightMs, msToReach, multiplierAt } from '../../../src/crash/curve.ts'
import { MAX_MULTIPLIER, ONE, payoutOf, toMultiplier } from '../../../src/money/multiplier.ts'
import { forAll, forMany } from '../support/for-all.ts'

const LONGEST_FLIGHT_MS = flightMs(MAX_MULTIPLIER)

const BITS = 160n
const UNIT = 1n << BITS

/** Lower and upper integer bounds of e^0.00006 · 2^160: the Taylor series, plus its remainder in the upper bound. */
function growthBounds(): { low: bigint; high: bigint } {
  const TERMS = 20n
  let numerator = UNIT
  let denominator = 1n
  let low = 0n
  for (let n = 1n; n <= TERMS; n++) {
    low += numerator / denominator
    numerator *= 6n
    denominator *= 100_000n * n
  }
  // Rounding loses less than one unit a term; the remaining terms sum to less than twice the first of them.
  return { low, high: low + TERMS + (2n * numerator) / denominator + 1n }
}

interface ExactMultiplier {
  elapsedMs: number
  /** floor(100 · e^(0.00006 · t)) computed from the lower and the upper bound: equal, so exact. */
  floors: [number, number]
  /** Relative distance of 100 · e^(0.00006 · t) from the nearest integer. */
  margin: number
}

/** The curve in exact arithmetic: fixed point, rounded down in one row and up in the other. */
function* exactCurve(): Generator<ExactMultiplier> {
  const growth = growthBounds()
  let low = UNIT
  let high = UNIT
  for (let elapsedMs = 0; elapsedMs <= LONGEST_FLIGHT_MS; elapsedMs++) {
    const lowest = low * 100n
    const highest = high * 100n
    const below = lowest & (UNIT - 1n)
    const above = UNIT - (highest & (UNIT - 1n))
    yield {
      elapsedMs,
      floors: [Number(lowest >> BITS), Number(highest >> BITS)],
      margin: Number(below < above ? below : above) / Number(lowest),
    }
    low = (low * growth.low) >> BITS
    high = ((high * growth.high) >> BITS) + 1n
  }
}

describe('the multiplier', () => {
  it('is exact in every millisecond of the longest flight', () => {
    const wrong: number[] = []
    for (const { elapsedMs, floors } of exactCurve()) {
      const shown = multiplierAt(elapsedMs)
      if (floors.some((floor) => floor !== shown)) wrong.push(elapsedMs)
    }
    expect(wrong).toEqual([])
  })

  /**
   * Doubles compute 0.00006 · t and its exponential with a relative error below 5e-15, even with an
   * exp that is wrong by a few units in the last place. The smallest distance of any multiplier
   * from a hundredth is 90 times that, so every engine shows the same.
   */
  it('is far enough from a hundredth to be the same on every machine', () => {
    let nearest = Infinity
    for (const { elapsedMs, margin } of exactCurve()) {
      if (elapsedMs > 0) nearest = Math.min(nearest, margin)
    }
    expect(nearest).toBeGreaterThan(4.5e-13)
  })

  it('starts at 1.00 and first shows 2.00 after 11,553 ms', () => {
    expect(multiplierAt(0)).toBe(100)
    expect(multiplierAt(11_552)).toBe(199)
    expect(multiplierAt(11_553)).toBe(200)
  })

  it('is shown as a decimal number with two decimals', () => {
    expect([100, 101, 235, 1_010, 100_000_000].map(toMultiplier)).toEqual([
      1, 1.01, 2.35, 10.1, 1_000_000,
    ])
  })
})

describe('the time to a multiplier', () => {
  const isFirst = (multiplier: number, elapsedMs: number): boolean =>
    multiplierAt(elapsedMs) >= multiplier &&
    (elapsedMs === 0 || multiplierAt(elapsedMs - 1) < multiplier)

  it('is the first millisecond that shows it, for every hundredth up to 2,000x', () => {
    const wrong: number[] = []
    for (let multiplier = 100; multiplier <= 200_000; multiplier++) {
      if (!isFirst(multiplier, msToReach(multiplier))) wrong.push(multiplier)
    }
    expect(wrong).toEqual([])
  })

  it('is exact for every multiplier shown in any flight, and for the next one', () => {
    const wrong: number[] = []
    for (let elapsedMs = 0; elapsedMs < LONGEST_FLIGHT_MS; elapsedMs++) {
      const shown = multiplierAt(elapsedMs)
      if (!isFirst(shown, msToReach(shown))) wrong.push(shown)
      if (!isFirst(shown + 1, msToReach(shown + 1))) wrong.push(shown + 1)
    }
    expect(wrong).toEqual([])
  })

  it('is the first millisecond for any multiplier up to 1,000,000x', () => {
    forMany(2_000, fc.integer({ min: ONE, max: MAX_MULTIPLIER }), (multiplier) =>
      isFirst(multiplier, msToReach(multiplier)),
    )
  })
})

describe('a flight', () => {
  it('has no length if it crashes at 1.00', () => {
    expect(flightMs(100)).toBe(0)
  })

  it('ends in the first millisecond whose multiplier is above the crash point', () => {
    const wrong: number[] = []
    for (let crash = 101; crash <= 100_000; crash++) {
      const length = flightMs(crash)
      if (multiplierAt(length) <= crash || multiplierAt(length - 1) > crash) wrong.push(crash)
    }
    expect(wrong).toEqual([])
  })

  it('takes under four minutes even to 1,000,000x', () => {
    expect(multiplierAt(LONGEST_FLIGHT_MS - 1)).toBeLessThanOrEqual(MAX_MULTIPLIER)
    expect(multiplierAt(LONGEST_FLIGHT_MS)).toBeGreaterThan(MAX_MULTIPLIER)
    expect(LONGEST_FLIGHT_MS).toBe(230_259)
  })
})

describe('a payout', () => {
  it('is rounded down, once, to the smallest unit', () => {
    expect(payoutOf(100n, 235)).toBe(235n)
    expect(payoutOf(1n, 199)).toBe(1n)
    expect(payoutOf(1n, 200)).toBe(2n)
    expect(payoutOf(3n, 133)).toBe(3n)
    expect(payoutOf(3n, 134)).toBe(4n)
  })

  it('is at most stake times multiplier, and less than one unit below it', () => {
    forAll(
      fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
      fc.integer({ min: ONE, max: MAX_MULTIPLIER }),
      (amountWei, multiplier) => {
        const exactHundredths = amountWei * BigInt(multiplier)
        const paidHundredths = payoutOf(amountWei, multiplier) * 100n
        expect(paidHundredths <= exactHundredths).toBe(true)
        expect(exactHundredths - paidHundredths < 100n).toBe(true)
      },
    )
  })
})
