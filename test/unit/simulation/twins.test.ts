import { describe, expect, it } from 'vitest'
import { prepare, readSetting } from '../../simulation/setting.ts'
import { leakIn } from '../../simulation/twins.ts'
import type { Edit } from '../../simulation/world/bundle.ts'

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1)

/** Returns what leaks in a few histories of the service, with some texts changed. */
async function leaksWith(...edits: Edit[]): Promise<string[]> {
  const setting = await prepare(await readSetting(edits))
  const leaks: string[] = []
  for (const seed of SEEDS)
    leaks.push(...[await leakIn(seed, setting)].filter((leak) => leak !== null))
  return leaks
}

describe('two histories that differ only in the secrets of a round', () => {
  it('look the same from outside until the round crashes', async () => {
    expect(await leaksWith()).toEqual([])
  })

  it('differ if the public state shows what depends on the crash point', async () => {
    const leaks = await leaksWith([
      'src/crash/round.ts',
      'takeoffAt: this.#flight?.takeoffAt ?? plan.flightAt,',
      'takeoffAt: (this.#flight?.takeoffAt ?? plan.flightAt) + ((this.#flight?.crash ?? 0) % 2),',
    ])
    expect(leaks).not.toEqual([])
  })
})
