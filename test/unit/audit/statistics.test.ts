import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testAll, type Tallies } from '../../../src/audit/statistics.ts'
import {
  addCrash,
  addDraw,
  addReturn,
  chanceToReach,
  emptyCrash,
  emptyDraws,
  emptyReturns,
} from '../../../src/audit/tally.ts'
import { crashPointFromBits } from '../../../src/crash/crash-point.ts'

const EDGE_BPS = 100

/** A draw that follows from a number. */
function drawOf(number: number): number {
  return createHash('sha256').update(String(number)).digest().readUIntBE(0, 6) / 2 ** 48
}

/** The tallies of rounds with these draws, and of a game with a payout of 2 at a chance of 0.495. */
function talliesOf(count: number, draw: (number: number) => number): Tallies {
  const [crash, rounds, returns] = [emptyCrash(), emptyDraws(), emptyReturns('limbo', 'ETH')]
  let before: number | null = null
  for (let number = 0; number < count; number++) {
    const drawn = draw(number)
    addDraw(rounds, drawn, number, before)
    before = drawn
    addCrash(crash, crashPointFromBits(BigInt(Math.floor(drawn * 2 ** 52)), EDGE_BPS), EDGE_BPS)
    const payout = drawn < 0.495 ? 2_000n : 0n
    addReturn(returns, { amount: 1_000n, payout, worth: [0.99, 2] })
  }
  return { crash, rounds, games: new Map(), returns: [returns] }
}

const failed = (tallies: Tallies) =>
  testAll(tallies).flatMap(({ name, result }) => (result?.passes === false ? [name] : []))

const COUNT = 20_000

describe('the statistics of the audit', () => {
  it('pass honest draws, and say what they could have detected', () => {
    const tallies = talliesOf(COUNT, drawOf)
    expect(failed(tallies)).toEqual([])
    for (const { result } of testAll(tallies)) expect(result?.detectable).toMatch(/\d%/)
  })

  it('are not made on little data', () => {
    expect(testAll(talliesOf(10, drawOf)).map(({ result }) => result === null)).toEqual(
      expect.arrayContaining([true]),
    )
    expect(failed(talliesOf(10, () => 0.99))).toEqual([])
  })

  it('don’t claim to have detected a return below 0', () => {
    const detectableOf = (count: number) =>
      testAll(talliesOf(count, drawOf)).find(({ name }) => name === 'limbo: return in ETH')?.result
        ?.detectable
    expect(detectableOf(10)).toMatch(
      /^a return higher by [\d.]+%; too few plays to detect a lower return$/,
    )
    expect(detectableOf(COUNT)).toMatch(/^a return lower by [\d.]+% or higher by [\d.]+%$/)
  })

  it('count a single play in the singular', () => {
    expect(testAll(talliesOf(1, drawOf)).at(-1)?.sample).toBe('1 play')
  })

  it.each<[string, string, (number: number) => number]>([
    ['draws that avoid high results', 'crash: draws are uniform', (n) => drawOf(n) * 0.97],
    [
      'draws that follow their neighbours',
      'crash: successive draws change sides by chance',
      (n) => drawOf(n - (n % 3 === 1 ? 1 : 0)),
    ],
    [
      'draws that repeat in pairs',
      'crash: pairs of draws are independent',
      (n) => drawOf(n - (n % 2)),
    ],
    ['rounds that crash early', 'crash: return at 2.00x', (n) => drawOf(n) ** 1.2],
    ['a game that pays too rarely', 'limbo: return in ETH', (n) => drawOf(n) ** 0.8],
    ['a game that pays too often', 'limbo: return in ETH', (n) => drawOf(n) ** 1.2],
  ])('notice %s', (_what, test, draw) => {
    expect(failed(talliesOf(COUNT, draw))).toContain(test)
  })
})

describe('the chance to reach a target', () => {
  it('is one less the edge, divided by the target', () => {
    for (const target of [101, 150, 200, 1_000, 100_000]) {
      expect(chanceToReach(target, EDGE_BPS)).toBeCloseTo(99 / target, 12)
    }
    expect(chanceToReach(100, EDGE_BPS)).toBe(1)
  })
})
