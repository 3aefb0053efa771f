import { playHistory, type Played } from './history.ts'
import type { Injected } from './world/faults.ts'
import type { Setting } from './world/world.ts'

/** Shrinking ends after this many replays. */
const MAX_REPLAYS = 400

/** Returns what kind of problem it is, whatever its numbers. */
export function kindOf(problem: string): string {
  return problem
    .replaceAll(/0x[0-9a-fA-F]+/g, '…')
    .replaceAll(/[0-9a-f]{16,}/g, '…')
    .replaceAll(/\d+/g, '0')
}

/**
 * Leaves out faults and operations of a failing history while it still fails in the same way.
 * @returns the shortest failing history that was found, with its story
 */
export async function shrink(failed: Played, setting: Setting): Promise<Played> {
  const kinds = new Set(failed.problems.map(kindOf))
  let replays = 0
  let best = failed
  let dropped: string[] = []

  const replay = async (faults: readonly Injected[], without: readonly string[]) => {
    replays++
    const choice = { faults, without: new Set(without) }
    const played = await playHistory(failed.seed, setting, { choice })
    return played.problems.some((problem) => kinds.has(kindOf(problem))) ? played : null
  }
  const isDone = () => replays >= MAX_REPLAYS

  /** Drops ever smaller chunks of a list while the history still fails. */
  const thin = async <T>(
    list: () => readonly T[],
    without: (chunk: ReadonlySet<T>) => Promise<Played | null>,
  ) => {
    for (let size = Math.ceil(list().length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < list().length && !isDone();) {
        const found = await without(new Set(list().slice(from, from + size)))
        if (found) best = found
        else from += size
      }
    }
  }

  for (let before = Infinity; sizeOf(best) < before && !isDone();) {
    before = sizeOf(best)
    await thin(
      () => best.operations,
      async (chunk) => {
        const found = await replay(best.faults, [...dropped, ...chunk])
        if (found) dropped = [...dropped, ...chunk]
        return found
      },
    )
    await thin(
      () => best.faults,
      (chunk) =>
        replay(
          best.faults.filter((fault) => !chunk.has(fault)),
          dropped,
        ),
    )
  }
  const choice = { faults: best.faults, without: new Set(dropped) }
  return playHistory(failed.seed, setting, { choice, isTold: true })
}

function sizeOf({ operations, faults }: Played): number {
  return operations.length + faults.length
}
