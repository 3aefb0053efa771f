import { beforeAll, describe, expect, it } from 'vitest'
import { playHistory, type Played } from '../../simulation/history.ts'
import { prepare, readSetting } from '../../simulation/setting.ts'
import type { Setting } from '../../simulation/world/world.ts'

/** Of a short history with many operations and faults. */
const SEED = 33

let setting: Setting
let played: Played
/** The history of another seed. */
let other: Played

beforeAll(async () => {
  setting = await prepare(await readSetting())
  played = await playHistory(SEED, setting)
  other = await playHistory(SEED + 1, setting)
})

describe('a simulated history', () => {
  it('has operations and faults, and nothing that is wrong', () => {
    expect(played.problems).toEqual([])
    expect(played.operations.length).toBeGreaterThan(10)
    expect(played.faults.length).toBeGreaterThan(10)
  })

  it('is the same whenever it is played from the same seed', async () => {
    const again = await playHistory(SEED, setting)
    expect(again.trace).toBe(played.trace)
  })

  it('differs with another seed', () => {
    expect(other.trace).not.toBe(played.trace)
  })

  it('is the same from the list of its faults', async () => {
    const choice = { faults: played.faults, without: new Set<string>() }
    expect((await playHistory(SEED, setting, { choice })).trace).toBe(played.trace)
  })

  it('can be played without some of its faults and operations', async () => {
    const [first = ''] = played.operations
    const choice = { faults: [], without: new Set([first]) }
    const calmer = await playHistory(SEED, setting, { choice })
    expect(calmer.faults).toEqual([])
    expect(calmer.operations).not.toContain(first)
    expect(calmer.problems).toEqual([])
  })

  it('is told as a story on request only', async () => {
    const { story } = await playHistory(SEED, setting, { isTold: true })
    expect(story?.length).toBeGreaterThan(100)
    expect(played.story).toBeNull()
  })
})
