import { describe, expect, it } from 'vitest'
import { moved } from '../../../../src/play/games/grid.ts'

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
