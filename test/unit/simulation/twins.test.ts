import { describe, expect, it } from 'vitest'
import { failureReport } from '../../simulation/report.ts'
import { prepare, readSetting } from '../../simulation/setting.ts'
import { leakIn, playWithTwins } from '../../simulation/twins.ts'
import type { Edit } from '../../simulation/world/bundle.ts'

const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1)

/** Whose twins are compared in every run. */
const COMPARED_SEED = 10
const LEAK: Edit = [
  'src/crash/round.ts',
  'takeoffAt: this.#flight?.takeoffAt ?? plan.flightAt,',
  'takeoffAt: (this.#flight?.takeoffAt ?? plan.flightAt) + (this.#flight?.crash ?? 0),',
]

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
    expect(await leakWith(LEAK)).not.toBeNull()
  })

  it('are reported with what differs, though no operation or fault can be dropped', async () => {
    const setting = await prepare(await readSetting([LEAK]))
    const played = await playWithTwins(COMPARED_SEED, setting)
    expect(played.problems).toEqual([played.leak])
    const report = await failureReport(played, setting)
    expect(report).toMatch(/^Seed 10 leaks:\n  before the crash, secrets changed .*takeoffAt/)
    expect(report).toMatch(/\nReplay it: npm run simulate -- --seed 10$/)
  })
})
