import { liveUntilCrash } from './history.ts'
import { Coverage } from './world/coverage.ts'
import { EVERYTHING, World, type Setting } from './world/world.ts'

/** What has left the rounds and the service before the first crash. */
interface Told {
  left: World['left']
  /** When the first round crashes, in true unix milliseconds. */
  crashAt: number
}

/**
 * Plays a history twice, with other secrets in its first round. Nothing that leaves the round or the service
 * before the earlier crash may differ, except the commitments.
 * @returns the first difference, or null
 */
export async function leakIn(seed: number, setting: Setting): Promise<string | null> {
  const [first, second] = [await tell(seed, setting, 'one'), await tell(seed, setting, 'another')]
  const until = Math.min(first.crashAt, second.crashAt)
  const before = ({ left }: Told) => left.filter(({ at }) => at < until)
  const [ours, theirs] = [before(first), before(second)]
  for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
    const [a, b] = [ours[index]?.what, theirs[index]?.what]
    if (a !== b) return `before the crash, secrets changed ${a ?? 'nothing'} to ${b ?? 'nothing'}`
  }
  return null
}

/** Depends on the seed through the salts of its leaves. */
const BETS_ROOT = /(?<="betsRoot":")[0-9a-f]{64}/g

async function tell(seed: number, setting: Setting, twin: string): Promise<Told> {
  const options = { coverage: new Coverage(), choice: EVERYTHING, isTold: false, twin }
  const world = new World(seed, setting, options)
  try {
    const { at: crashAt, commitments } = await liveUntilCrash(world)
    const masked = (what: string) =>
      commitments
        .reduce((text, hash) => text.replaceAll(hash, '(a commitment)'), what)
        .replaceAll(BETS_ROOT, '(a root over salted bets)')
    return { crashAt, left: world.left.map(({ at, what }) => ({ at, what: masked(what) })) }
  } finally {
    world.close()
  }
}
