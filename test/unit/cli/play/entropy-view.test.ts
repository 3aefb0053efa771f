import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sketchLines } from '../../../../src/cli/play/entropy-view.ts'
import type { Result } from '../../../../src/games/games.ts'

/** The text without colours, as in a log. */
const plain = (result: Result) => sketchLines(result).map((line) => stripVTControlCharacters(line))

describe('the picture of a play, without colours', () => {
  it('shows five rows of five tiles', () => {
    const [first, ...rest] = plain({ game: 'mines', meta: { mines: [1, 24], picked: [0, 1] } })
    expect(first).toBe('◆ ✗ · · ·')
    expect(rest.slice(0, 4).map((row) => row.split(' ').length)).toEqual([5, 5, 5, 5])
    expect(rest[3]).toBe('· · · · ✱')
  })

  it('distinguishes hits from numbers only picked or only drawn', () => {
    const [first] = plain({
      game: 'keno',
      meta: { draws: [3, 4], picks: [3, 5], hits: 1, risk: 'classic' },
    })
    expect(first).toContain('  2  ◆ 3◆ * 4* [ 5]   6  ')
  })

  it('shows the path and its final bucket', () => {
    const [path, buckets] = plain({
      game: 'plinko',
      meta: { path: 'LRRLLLLL', bucket: 2, rows: 8, risk: 'low' },
    })
    expect(path).toBe('L R R L L L L L')
    expect(buckets).toBe('· · ● · · · · · ·  bucket 2')
  })

  it('shows whether the target was reached; a tie counts as reached', () => {
    const rolled = (result: number) => plain({ game: 'limbo', meta: { result, target: 2 } })
    expect(rolled(2)).toEqual(['2.00x reaches your 2.00x'])
    expect(rolled(1.99)).toEqual(['1.99x stays below your 2.00x'])
  })
})
