import { array, assert, constantFrom, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moved } from '../../../src/play/games/grid.ts'
import { ballPoints, bucketX, pegs } from '../../../src/play/games/plinko-board.ts'
import { runUp } from '../../../src/play/games/run-up.ts'
import {
  sayChoice,
  sayMeta,
  showChance,
  showMultiplier,
  wireParams,
} from '../../../src/play/games/words.ts'

const TILES = { count: 25, width: 5 }

describe('an arrow key', () => {
  it.each<[string, number, number | null]>([
    ['ArrowRight', 6, 7],
    ['ArrowLeft', 6, 5],
    ['ArrowUp', 6, 1],
    ['ArrowDown', 6, 11],
    ['Home', 13, 10],
    ['End', 13, 14],
    ['ArrowRight', 4, null],
    ['ArrowLeft', 5, null],
    ['ArrowLeft', 0, null],
    ['ArrowUp', 3, null],
    ['ArrowDown', 22, null],
    ['Enter', 6, null],
  ])('%s from tile %i leads to %s', (key, from, to) => {
    expect(moved(key, from, TILES)).toBe(to)
  })
})

const path = array(constantFrom('L', 'R'), { minLength: 8, maxLength: 16 })

describe('a ball', () => {
  it('ends in the middle of the bucket that its rights count', () => {
    assert(
      property(path, (turns) => {
        const bucket = turns.filter((turn) => turn === 'R').length
        expect(ballPoints(turns.join('')).at(-1)?.x).toBe(bucketX(bucket, turns.length))
      }),
    )
  })

  it('meets a peg in every row', () => {
    assert(
      property(path, (turns) => {
        const there = new Set(pegs(turns.length).map(({ x, y }) => `${x} ${y}`))
        const met = ballPoints(turns.join('')).slice(0, -1)
        expect(met.every(({ x, y }) => there.has(`${x} ${y}`))).toBe(true)
      }),
    )
  })
})

describe('a number that runs up', () => {
  it('starts at 1.00, never falls, and is there after less than a second', () => {
    assert(
      property(integer({ min: 100, max: 100_000_000 }), (result) => {
        const shown = [0, 100, 300, 600, 899, 900].map((ms) => runUp(result, ms))
        expect(shown[0]).toBe(100)
        expect(shown).toEqual(shown.toSorted((a, b) => a - b))
        expect(shown.at(-1)).toBe(result)
      }),
    )
  })
})

describe('in words', () => {
  it('a multiplier has two decimals, or the four it needs', () => {
    expect([2, 1.1379, 1000, 0].map(showMultiplier)).toEqual([
      '2.00x',
      '1.1379x',
      '1,000.00x',
      '0.00x',
    ])
  })

  it('a chance is told to four digits, however small', () => {
    expect([0.495, 0.00000187].map(showChance)).toEqual(['49.5 %', '0.000187 %'])
  })

  it('a lost game of mines tells which tiles they were under, numbered as on the wire', () => {
    expect(sayMeta({ mines: [3, 7], picked: [0, 7] })).toBe('Mine under tile 7')
    expect(sayMeta({ mines: [3, 7], picked: [3, 7] })).toBe('Mines under tiles 3, 7')
    expect(sayMeta({ mines: [3, 7], picked: [1] })).toBe('No mine under your tile')
  })

  it('a bucket has the number that it has on the wire', () => {
    const meta = { bucket: 9, path: 'LRRRRRRLRRLLLRLL', rows: 16, risk: 'low' } as const
    expect(sayMeta(meta)).toBe('Bucket 9 of 0–16')
  })

  it('what was chosen can be told from the result', () => {
    const draws = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    expect(
      [
        { mines: [3], picked: [0, 24] },
        { result: 1.5, target: 2 },
        { bucket: 3, path: 'LRLRLRLL', rows: 8, risk: 'high' as const },
        { draws, picks: [7, 40], hits: 1, risk: 'classic' as const },
      ].map(sayChoice),
    ).toEqual([
      '1 mine, tiles 0, 24',
      'Target 2.00x',
      '8 rows, high risk',
      'Numbers 7, 40, classic risk',
    ])
  })
})

describe('the wire', () => {
  it('takes tiles as `pick` and the target as a decimal number', () => {
    expect(wireParams({ game: 'mines', params: { mines: 3, picked: [4, 2] } })).toEqual({
      mines: 3,
      pick: [4, 2],
    })
    expect(wireParams({ game: 'limbo', params: { target: 101 } })).toEqual({ target: 1.01 })
  })
})
