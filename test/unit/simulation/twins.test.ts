import { describe, expect, it } from 'vitest'
import { prepare, readSetting } from '../../simulation/setting.ts'
import { leakIn } from '../../simulation/twins.ts'
import type { Edit } from '../../simulation/world/bundle.ts'

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1)

/** Returns the first leak in a few histories of the service, with some texts changed; null if nothing leaks. */
async function leakWith(...edits: Edit[]): Promise<string | null> {
  const setting = await prepare(await readSetting(edits))
  for (const seed of SEEDS) {
    const leak = await leakIn(seed, setting)
    if (leak !== null) return leak
  }
  return null
}

describe('two histories that differ only in the secrets of a round', () => {
  it('look the same from outside until the round crashes', async () => {
    expect(await leakWith()).toBeNull()
  })

  it('differ if the public state shows what depends on the crash point', async () => {
    const leak = await leakWith([
      'src/crash/round.ts',
      'takeoffAt: this.#flight?.takeoffAt ?? plan.flightAt,',
      'takeoffAt: (this.#flight?.takeoffAt ?? plan.flightAt) + ((this.#flight?.crash ?? 0) % 2),',
    ])
    expect(leak).not.toBeNull()
  })
})
