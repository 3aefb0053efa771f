import { liveUntilCrash, playHistory, type Options, type Played } from './history.ts'
import { Coverage } from './world/coverage.ts'
import { EVERYTHING, World, type Setting } from './world/world.ts'

/** What has left the rounds and the service before the first crash. */
interface Told {
  left: World['left']
  /** When the first round crashes, in true unix milliseconds. */
  crashAt: number
}

/** How much of two texts is shown before and after they begin to differ. */
const SHOWN = 50
/** The share of seeds whose twins are compared too. */
const TWINS = 10

/** Plays the history of a seed, and those of its twins if the seed is one of a few. */
export async function playWithTwins(
  seed: number,
  setting: Setting,
  options?: Options,
): Promise<Played> {
  const played = await playHistory(seed, setting, options)
  const leak = seed % TWINS === 0 ? await leakIn(seed, setting) : null
  return leak === null ? played : { ...played, leak, problems: [...played.problems, leak] }
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
    const [a, b] = [textOf(ours[index]), textOf(theirs[index])]
    if (a !== b) return `before the crash, secrets changed ${differenceOf(a, b)}`
  }
  return null
}

/** Writes what has left, and when: a secret may show in the time alone. */
function textOf(told: Told['left'][number] | undefined): string {
  return told ? `${told.at} ${told.what}` : 'nothing'
}

/** Shows where two texts begin to differ, however long they are. */
function differenceOf(a: string, b: string): string {
  const at = [...a].findIndex((letter, index) => letter !== b[index])
  const from = Math.max(0, (at === -1 ? a.length : at) - SHOWN)
  const [ours, theirs] = [a, b].map((text) => text.slice(from, from + 2 * SHOWN))
  return `${a.slice(0, Math.min(from, SHOWN))} … ${ours} to ${theirs}`
}

/** Depends on the seed through the salts of its leaves. It may stand in a text within JSON. */
const BETS_ROOT = /(?<=\\?"betsRoot\\?":\\?")[0-9a-f]{64}/g

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
