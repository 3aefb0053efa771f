import { describe, expect, it } from 'vitest'
import { isOldResult, isWorthRecording } from '../../../src/relayer/result.ts'

describe('the house’s result is worth recording', () => {
  const last = { resultWei: '7', at: 0 }
  const minutes = 60_000

  it.each([
    ['for the first time', null, { resultWei: '7', at: 0 }, true],
    ['not immediately after it changes', last, { resultWei: '8', at: 5 * minutes - 1 }, false],
    ['if it has changed after five minutes', last, { resultWei: '8', at: 5 * minutes }, true],
    ['not while it is unchanged', last, { resultWei: '7', at: 30 * minutes - 1 }, false],
    ['if the last record is half an hour old', last, { resultWei: '7', at: 30 * minutes }, true],
  ])('%s', (_when, before, next, is) => {
    expect(isWorthRecording(before, next)).toBe(is)
  })
})

it('a result may wait five minutes, and no longer', () => {
  expect(isOldResult({ at: 1_000 }, 301_000)).toBe(false)
  expect(isOldResult({ at: 1_000 }, 301_001)).toBe(true)
})
