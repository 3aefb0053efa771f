import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../../../src/core/utc-day.ts'
import { exported, House } from './house.ts'
import { foundBy, kept, monitorOf } from './watching.ts'

const { at } = exported(0)

let house: House

beforeEach(() => {
  house = new House().append(exported(1))
  vi.stubGlobal('fetch', house.fetch)
  vi.useFakeTimers({ now: at + HOUR_MS, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('reports entries that are dated back, even if it restarts before them', async () => {
  const first = monitorOf(house)
  expect(await foundBy(first)).toEqual([])
  house.append({ ...exported(2), at: at - HOUR_MS })
  house.append({ ...exported(3), at: at - HOUR_MS - 1 }, { ...exported(4), at: 0 })
  expect(await foundBy(monitorOf(house, { state: kept(first) }))).toEqual([
    expect.stringMatching(/^Entry 2, export day 3, is dated back/),
  ])
})
