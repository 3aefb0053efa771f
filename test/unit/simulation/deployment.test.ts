import { expect, it } from 'vitest'
import { playHistory } from '../../simulation/history.ts'
import { prepare, readSetting } from '../../simulation/setting.ts'
import type { Edit } from '../../simulation/world/bundle.ts'

/** A version that has another name for a call between objects. */
const RENAMED: readonly Edit[] = [
  ['durable-objects/crash-round.ts', 'async place(', 'async placeBet('],
  ['durable-objects/ledger/bets.ts', '.place(', '.placeBet('],
]

/** Short histories. In four of them, players bet in rounds of the other version. */
const SEEDS = [19, 20, 23, 28, 34, 36, 39]

/** Plays histories in which some isolates run the service with some edits. */
async function problemsBeside(edits: readonly Edit[]): Promise<string[]> {
  const [data, edited] = [await readSetting(), await readSetting(edits)]
  const setting = await prepare({ ...data, codes: [...data.codes, ...edited.codes] })
  const problems = []
  for (const seed of SEEDS) problems.push(...(await playHistory(seed, setting)).problems)
  return problems
}

it('a gradual deployment holds if both versions are the same', async () => {
  expect(await problemsBeside([])).toEqual([])
})

it('a gradual deployment fails if one version lacks a method that the other calls', async () => {
  expect((await problemsBeside(RENAMED)).join()).toContain('CrashRound has no method place')
})
