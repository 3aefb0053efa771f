import { describe, expect, it } from 'vitest'
import { MAX_MULTIPLIER, type Hundredths } from '../../../src/crash/curve.ts'
import { KENO_DRAWS, KENO_NUMBERS, playKeno } from '../../../src/entropy/keno.ts'
import { limboResult } from '../../../src/entropy/limbo.ts'
import { minesMultiplier, playMines, TILES } from '../../../src/entropy/mines.ts'
import { playPlinko } from '../../../src/entropy/plinko.ts'
import { RandomStream } from '../../../src/entropy/stream.ts'
import { KENO_TABLES, PLINKO_TABLES } from '../../../src/entropy/tables.ts'
import { KENO, MINES, PLINKO_16 } from './vectors.ts'

const EDGE_BPS = 100
const TWO_POW_52 = 2n ** 52n

interface Published<Result> {
  clientSeed: string
  serverSeed: string
  firstNonce: number
  results: Result[]
}

/** Each published result with the stream it was drawn from. */
function draws<Result>({ clientSeed, serverSeed, firstNonce, results }: Published<Result>) {
  return results.map((result, index) => ({
    result,
    nonce: firstNonce + index,
    stream: new RandomStream({ seed: serverSeed, clientSeed, nonce: firstNonce + index }),
  }))
}

function choose(n: number, k: number): bigint {
  let ways = 1n
  for (let i = 0; i < k; i++) ways = (ways * BigInt(n - i)) / BigInt(i + 1)
  return ways
}

const sum = (terms: bigint[]) => terms.reduce((total, term) => total + term, 0n)

/** A return in hundredths of a percent, exact but for the last rounding down. */
function returnBps(paid: bigint, outcomes: bigint): number {
  return Number((paid * 100n) / outcomes)
}

describe('third-party verifiers agree with', () => {
  it.each(draws(KENO))('keno at nonce $nonce', ({ result, stream }) => {
    const { meta } = playKeno({ picks: [1], risk: 'classic' }, stream)
    expect(meta.draws).toEqual(result.map((index) => index + 1))
  })

  it.each(draws(MINES))('mines at nonce $nonce', ({ result, stream }) => {
    const { meta } = playMines({ mines: 24, picked: [0] }, stream, EDGE_BPS)
    expect(meta.mines).toEqual(result)
  })

  it.each(draws(PLINKO_16))('plinko at nonce $nonce', ({ result, stream }) => {
    const { meta } = playPlinko({ rows: 16, risk: 'low' }, stream)
    expect(meta.path).toBe(result)
    expect(meta.bucket).toBe(result.replaceAll('L', '').length)
  })
})

describe('the exact return', () => {
  const plinko = Object.entries(PLINKO_TABLES).flatMap(([rows, risks]) =>
    Object.entries(risks).map(([risk, pays]) => ({ rows: Number(rows), risk, pays })),
  )

  it.each(plinko)('of plinko with $rows rows at $risk risk is about 99 %', ({ rows, pays }) => {
    expect(pays).toHaveLength(rows + 1)
    expect(pays.toReversed()).toEqual(pays)
    const paid = sum(pays.map((pay, bucket) => BigInt(pay) * choose(rows, bucket)))
    expect(returnBps(paid, 2n ** BigInt(rows))).toBeGreaterThanOrEqual(9_850)
    expect(returnBps(paid, 2n ** BigInt(rows))).toBeLessThanOrEqual(9_920)
  })

  const keno = Object.entries(KENO_TABLES).flatMap(([risk, tables]) =>
    Object.entries(tables).map(([picks, pays]) => ({ risk, picks: Number(picks), pays })),
  )

  it.each(keno)('of keno with $picks picks at $risk risk is about 99 %', ({ picks, pays }) => {
    expect(pays).toHaveLength(picks + 1)
    const ways = (hits: number) =>
      choose(picks, hits) * choose(KENO_NUMBERS - picks, KENO_DRAWS - hits)
    const paid = sum(pays.map((pay, hits) => BigInt(pay) * ways(hits)))
    expect(returnBps(paid, choose(KENO_NUMBERS, KENO_DRAWS))).toBeGreaterThanOrEqual(9_850)
    expect(returnBps(paid, choose(KENO_NUMBERS, KENO_DRAWS))).toBeLessThanOrEqual(9_920)
  })

  it('of mines is one less the edge, for every number of mines and picks', () => {
    for (let mines = 1; mines < TILES; mines++) {
      for (let picks = 1; picks + mines <= TILES; picks++) {
        const picked = Array.from({ length: picks }, (_, tile) => tile)
        const { numerator, denominator } = minesMultiplier({ mines, picked }, EDGE_BPS)
        const wins = choose(TILES - mines, picks)
        expect(numerator * wins * 100n).toBe(denominator * choose(TILES, picks) * 99n)
      }
    }
  })

  it('of limbo is one less the edge at every target, to within 2^-52 of it', () => {
    const targets: Hundredths[] = [101, 150, 200, 333, 1_000, 12_345, 1_000_000, MAX_MULTIPLIER]
    for (const target of targets) {
      const wins = (9_900n * TWO_POW_52) / (100n * BigInt(target))
      expect(limboResult(wins - 1n, EDGE_BPS)).toBeGreaterThanOrEqual(target)
      expect(limboResult(wins, EDGE_BPS)).toBeLessThan(target)
    }
  })
})
