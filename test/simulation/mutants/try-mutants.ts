import { playHistory } from '../history.ts'
import { prepare, readSetting } from '../setting.ts'
import type { Mutant } from './mutants.ts'

/** How a mutant was found. */
export interface Found {
  mutant: Mutant
  /** The number of histories it took; null if they all held. */
  histories: number | null
  /** The first problem. */
  problem: string
}

/** Plays histories of a mutant until one fails, and at most `most`. */
export async function tryMutant(mutant: Mutant, from: number, most: number): Promise<Found> {
  const setting = await prepare(await readSetting(mutant.edits))
  for (let histories = 1; histories <= most; histories++) {
    const { problems } = await playHistory(from + histories - 1, setting, { isHasty: true })
    const [problem] = problems
    if (problem !== undefined) return { mutant, histories, problem }
  }
  return { mutant, histories: null, problem: '' }
}
