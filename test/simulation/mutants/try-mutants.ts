import { playHistory } from '../history.ts'
import { prepare, readSetting } from '../setting.ts'
import { leakIn } from '../twins.ts'
import { themeOf } from '../world/faults.ts'
import { Random } from '../world/random.ts'
import { THEMES } from '../world/themes.ts'
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
  if (mutant.theme !== undefined && !THEMES.some(({ name }) => name === mutant.theme))
    throw new Error(`there is no theme “${mutant.theme}”`)
  const setting = await prepare(await readSetting(mutant.edits))
  for (let histories = 1; histories <= most; histories++) {
    const seed = from + histories - 1
    const random = new Random(seed)
    if (mutant.theme !== undefined && themeOf(random)?.name !== mutant.theme) continue
    if (mutant.needs?.(random) === false) continue
    const problem = mutant.isOfTwins
      ? await leakIn(seed, setting)
      : (await playHistory(seed, setting, { isHasty: true })).problems[0]
    if (typeof problem === 'string') return { mutant, histories, problem }
  }
  return { mutant, histories: null, problem: '' }
}
