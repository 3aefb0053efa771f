import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ballPoints, bucketX, pegs } from '../../../../../src/play/games/plinko/board.ts'

const path = array(constantFrom('L', 'R'), { minLength: 8, maxLength: 16 })

describe('a ball', () => {
  it('lands in the middle of the bucket given by its number of right turns', () => {
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
