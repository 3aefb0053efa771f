import { beforeAll, describe, expect, it } from 'vitest'
import { next } from '../../../src/play/autobet/rules.ts'
import type { Rules } from '../../simulation/actors/autobets.ts'
import { playHistory, type Played } from '../../simulation/history.ts'
import { prepare, readSetting } from '../../simulation/setting.ts'
import type { Setting } from '../../simulation/world/world.ts'

/** Short histories with many lost answers. */
const SEEDS = [9, 49]

let setting: Setting

beforeAll(async () => {
  setting = await prepare(await readSetting())
})

async function play(rules: Rules): Promise<Played[]> {
  const histories: Played[] = []
  for (const seed of SEEDS) histories.push(await playHistory(seed, setting, { rules }))
  return histories
}

const problemsOf = (histories: Played[]) => histories.flatMap(({ problems }) => problems)

describe('automatic bets under faults', () => {
  it('stake once for each step, whatever is lost, late, doubled or reloaded', async () => {
    const histories = await play(next)
    expect(problemsOf(histories)).toEqual([])
    const steps = histories.reduce((sum, { autobets }) => sum + autobets, 0)
    expect(steps).toBeGreaterThan(100)
    expect(histories.every(({ faults }) => faults.length > 10)).toBe(true)
  })

  it('would stake without a step if a lost answer made way for the next bet', async () => {
    const forgetful: Rules = (run, event) =>
      event.kind === 'refused' && event.code === 'unreachable'
        ? { run: { ...run, pending: null }, bet: null }
        : next(run, event)
    const problems = problemsOf(await play(forgetful))
    expect(problems.join('\n')).toMatch(/which is no step of automatic betting/)
  })
})
