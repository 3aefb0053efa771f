import { Cashier } from './actors/cashiers.ts'
import { PartnerClient } from './actors/partners.ts'
import { Player } from './actors/players.ts'
import type { Chain } from './chain/chain.ts'
import { CHAIN } from './chain/vault-state.ts'
import { JournalWatch } from './invariants/ledgers.ts'
import { checkPartner } from './invariants/partners.ts'
import { checkAtRest } from './invariants/rest.ts'
import { firstCrash, RoundWatch, type FirstCrash } from './invariants/rounds.ts'
import { checkVault } from './invariants/vault.ts'
import { WALLETS } from './wallets.ts'
import { callObject } from './world/calls.ts'
import { Coverage, type Counts } from './world/coverage.ts'
import type { Injected } from './world/faults.ts'
import { runCron } from './world/http.ts'
import type { Place } from './world/objects.ts'
import { EVERYTHING, World, type Choice, type Setting } from './world/world.ts'

/** A history that has been played. */
export interface Played {
  seed: number
  /** What was violated; empty if everything held. */
  problems: string[]
  /** The operations of clients, by name. */
  operations: string[]
  faults: readonly Injected[]
  coverage: Counts
  events: number
  /** Simulated time, in milliseconds. */
  elapsedMs: number
  /** Equal for equal histories. */
  trace: number
  story: string[] | null
}

const MINUTE_MS = 60_000
/** Faults and players stop after this long. */
const LIVELY_MS = [30_000, 90_000] as const
/** How long faults continue after the players have stopped, in most histories. */
const QUIET_MS = 360_000
/** The length of a few long histories, in which messages sent every five minutes meet faults too. */
const LONG_MS = [360_000, 480_000] as const
/** After the faults have ended, everything is done within this time: an outbox waits five minutes at most. */
const REST_MS = 12 * MINUTE_MS
/** An answer takes no longer while nothing is wrong. */
const ANSWER_MS = 5_000
/** The statement of a long history has dozens of pages. */
const STATEMENT_MS = 6 * ANSWER_MS
/** What the house brings in, in smallest units of either token. */
const HOUSE_FUNDS = 10n ** 24n
const MOST_PLAYERS = 4
/** How much longer players pause in a long history. */
const SLOWLY = 8

/** Plays the history of a seed. */
export async function playHistory(
  seed: number,
  setting: Setting,
  { choice = EVERYTHING, isTold = false }: { choice?: Choice; isTold?: boolean } = {},
): Promise<Played> {
  const coverage = new Coverage()
  const world = new World(seed, setting, { coverage, choice, isTold })
  try {
    await live(world)
  } finally {
    world.close()
  }
  const { problems, done, faults, scheduler, story } = world
  return {
    seed,
    problems,
    operations: done,
    faults: faults.injected,
    coverage: coverage.counts,
    events: scheduler.events,
    elapsedMs: scheduler.now - world.start,
    trace: scheduler.trace,
    story,
  }
}

async function live(world: World): Promise<void> {
  const { scheduler, random, faults } = world
  const journals = new JournalWatch(world)
  const rounds = new RoundWatch(world)
  const run = (forMs: number) =>
    scheduler.run(scheduler.now + forMs, () => {
      journals.check()
      rounds.check()
    })
  const count = random.between('players', 1, MOST_PLAYERS)
  const players = WALLETS.slice(0, count).map(
    (wallet, index) => new Player(world, rounds, wallet, index),
  )
  const isLong = random.chance('is long', faults.theme?.isLong ? 0.6 : 0.08)
  const [low, high] = isLong ? LONG_MS : LIVELY_MS
  const livelyMs = random.between('lively', low, high)
  const partner = new PartnerClient(world, WALLETS.slice(0, count))
  const hasPartner = random.chance('has a partner', 0.5)
  const cashiers = players.map(({ name, wallet }) => new Cashier(world, wallet, name))
  planCron(world)
  if (world.chain) await openVault(world, world.chain, run)
  const until = scheduler.now + livelyMs
  faults.isOn = true
  const lives = players.map(async (player, index) => {
    const cashier = world.chain ? cashiers[index] : undefined
    await (cashier ?? player).fund()
    // Some leave early, so that their last operation meets faults too.
    const stays = random.between(`${player.name} stays`, 30, 100) / 100
    const leavesAt = until - (1 - stays) * livelyMs
    await Promise.all([player.live(leavesAt, isLong ? SLOWLY : 1), cashier?.live(leavesAt)])
  })
  if (hasPartner) lives.push(partner.live(until))
  await run(livelyMs)
  if (!isLong && random.chance('has a quiet time', 0.6)) await run(QUIET_MS)
  faults.isOn = false
  world.tell(() => '--- the faults end ---')
  await ended(world, 'the players', Promise.all(lives), () => run(2 * MINUTE_MS))
  if (hasPartner) await ended(world, 'the partner', partner.settle(), () => run(2 * MINUTE_MS))
  const games = Promise.all(players.map((player) => player.endGame()))
  await ended(world, 'the last games', games, () => run(MINUTE_MS))
  // Most rest follows from alarms alone. Reads may only speed it up.
  const readers = random.chance('everybody looks', 0.3) ? players : []
  const looks = Promise.all(readers.map((player) => player.look()))
  await ended(world, 'a last look', looks, () => run(MINUTE_MS))
  await run(REST_MS)
  const ask = (place: Place, method: string, args: unknown[] = []) => {
    const answer = callObject(world, place, method, args)
    return ended(world, `${place.path}.${method}`, answer, () => run(ANSWER_MS))
  }
  const audits = await checkAtRest(world, journals, ask)
  await checkPartner(world, partner, audits, (what, work) =>
    ended(world, what, work, () => run(STATEMENT_MS)),
  )
  const accepted = cashiers.flatMap((cashier) => cashier.accepted)
  if (world.chain) checkVault(world, world.chain, audits, accepted)
}

/** Lets players play for a minute. Returns when the first round crashes, and its commitments. */
export async function liveUntilCrash(world: World): Promise<FirstCrash> {
  const { scheduler, random, faults } = world
  const rounds = new RoundWatch(world)
  let first: FirstCrash = { at: 0, commitments: [] }
  const run = (forMs: number) =>
    scheduler.run(scheduler.now + forMs, () => {
      rounds.check()
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
  const count = random.between('players', 1, MOST_PLAYERS)
  for (const [index, wallet] of WALLETS.slice(0, count).entries()) {
    const player = new Player(world, rounds, wallet, index)
    const stay = async () => {
      await player.fund()
      await player.live(until, 1)
    }
    stay().catch((fault: unknown) => world.noteFault(player.name, fault))
  }
  await run(MINUTE_MS)
  return first
}

/** Has the owner fund the vault, and the service count it. */
async function openVault(
  world: World,
  chain: Chain,
  run: (forMs: number) => Promise<void>,
): Promise<void> {
  const from = CHAIN.owner
  for (const token of [CHAIN.usdg, CHAIN.eth])
    chain.send(from, { kind: 'fund', from, token, amount: HOUSE_FUNDS }, `fund ${token}`)
  chain.run()
  await run(12_000)
  for (let counts = 0; counts < 2; counts++) {
    runCron(world)
    await run(6_000)
  }
}

/** Plans the cron trigger, once a minute. */
function planCron(world: World): void {
  world.scheduler.after(MINUTE_MS, 'cron', null, () => {
    runCron(world)
    planCron(world)
  })
}

/** Returns what some work of the world comes to within a run of it. */
async function ended<T>(
  world: World,
  what: string,
  work: Promise<T>,
  run: () => Promise<void>,
): Promise<T | null> {
  let result: T | null = null
  let isOver = false
  const watch = async () => {
    try {
      result = await work
    } catch (fault) {
      world.violate(`${what} failed: ${fault instanceof Error ? fault.message : String(fault)}`)
    }
    isOver = true
  }
  void watch()
  await run()
  if (!isOver) world.violate(`${what} did not end`)
  return result
}
