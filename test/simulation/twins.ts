import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { Office } from './actors/operators.ts'
import { PartnerClient } from './actors/partners.ts'
import { Player } from './actors/players.ts'
import { Viewer } from './actors/viewers.ts'
import {
  autobettorsOf,
  betAutomatically,
  MAX_PLAYERS,
  playHistory,
  type Options,
  type Played,
} from './history.ts'
import { firstCrash, RoundWatch, type FirstCrash } from './invariants/rounds.ts'
import { openVault, planCron } from './plans.ts'
import { WALLETS } from './wallets.ts'
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
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const from = Math.max(0, at - SHOWN)
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

/** Lets players play for a minute. Returns when the first round crashes, and its commitments. */
async function liveUntilCrash(world: World): Promise<FirstCrash> {
  const { scheduler, random, faults } = world
  const rounds = new RoundWatch(world)
  let first: FirstCrash = { at: 0, commitments: [] }
  let changes = -1
  const run = (forMs: number) =>
    scheduler.run(scheduler.now + forMs, () => {
      if (world.changes === changes) return
      changes = world.changes
      rounds.check()
      world.standings.check()
      // An opening that is not confirmed may be lost, and an ended round is erased and, asked for again, discarded.
      const crash = firstCrash(world)
      if (!crash) return
      const at = first.at === 0 ? crash.at : Math.min(first.at, crash.at)
      first = { at, commitments: [...new Set([...first.commitments, ...crash.commitments])] }
    })
  planCron(world)
  if (world.chain) await openVault(world, world.chain, run)
  const until = scheduler.now + MINUTE_MS
  faults.isOn = true
  const count = random.between('players', 1, MAX_PLAYERS)
  const wallets = WALLETS.slice(0, count)
  const begin = (name: string, life: Promise<unknown>) =>
    life.catch((fault: unknown) => world.noteFault(name, fault))
  for (const [index, wallet] of wallets.entries()) {
    const player = new Player(world, rounds, wallet, index)
    const stay = async () => {
      await player.fund()
      await player.live(until, 1)
    }
    void begin(player.name, stay())
  }
  for (let number = 1; number <= world.traits.viewers; number++)
    void begin(`viewer ${number}`, new Viewer(world, number).live(until))
  if (random.chance('has a partner', 0.5))
    void begin('partner', new PartnerClient(world, wallets).live(until))
  if (world.traits.hasOperators) void begin('operators', new Office(world, wallets).live(until))
  void begin('automatic bets', betAutomatically(world, autobettorsOf(world), until, 1))
  await run(MINUTE_MS)
  return first
}
