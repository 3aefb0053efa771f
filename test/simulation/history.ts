import { MINUTE_MS, dateOf } from '../../src/core/utc-day.ts'
import { Advertiser } from './actors/advertisers.ts'
import { Autobettor, TABS, type Rules } from './actors/autobets.ts'
import { boxSellers } from './actors/box-fair.ts'
import { Caretaker } from './actors/caretakers.ts'
import { Cashier } from './actors/cashiers.ts'
import { Guardian } from './actors/guardians.ts'
import { Opener, type Till } from './actors/openers.ts'
import { Office } from './actors/operators.ts'
import { PartnerClient } from './actors/partners.ts'
import { Player, takeChips } from './actors/players.ts'
import { Stranger } from './actors/strangers.ts'
import { Viewer } from './actors/viewers.ts'
import { checkAutobets } from './invariants/autobets.ts'
import { checkBooks, countedAt } from './invariants/books.ts'
import { BoxWatch } from './invariants/box-watch.ts'
import { checkBoxes } from './invariants/boxes.ts'
import { checkConsents } from './invariants/consents.ts'
import { EntryWatch } from './invariants/entries.ts'
import { checkGas, someRestEnds } from './invariants/gas.ts'
import { checkIdle, usageOf } from './invariants/idle.ts'
import { JournalWatch } from './invariants/ledgers.ts'
import { LimitCheck } from './invariants/limits.ts'
import { checkLootbox, SeedWatch } from './invariants/openings.ts'
import { checkOperators } from './invariants/operators.ts'
import { checkPartner } from './invariants/partners.ts'
import { checkRentals } from './invariants/rentals.ts'
import { checkResolutions } from './invariants/resolutions.ts'
import { checkAtRest } from './invariants/rest.ts'
import { RoundWatch } from './invariants/rounds.ts'
import { checkSolvency } from './invariants/solvency.ts'
import { checkStrangers } from './invariants/strangers.ts'
import { checkVault } from './invariants/vault.ts'
import {
  fillPool,
  openVault,
  planCron,
  planIntrusions,
  planOutage,
  planPause,
  planRestores,
} from './plans.ts'
import { settleVault, type Run } from './settle-vault.ts'
import { WALLETS } from './wallets.ts'
import { callObject } from './world/calls.ts'
import { Coverage, type Counts } from './world/coverage.ts'
import type { Injected } from './world/faults.ts'
import type { Place } from './world/objects.ts'
import { MAX_SKEW_MS } from './world/traits.ts'
import { EVERYTHING, World, type Choice, type Setting } from './world/world.ts'

/** A history that has been played. */
export interface Played {
  seed: number
  /** What was violated; empty if everything held. */
  problems: string[]
  /** The problem that only a comparison of twins shows; null without one. */
  leak: string | null
  /** The operations of clients, by name. */
  operations: string[]
  faults: readonly Injected[]
  /** The number of automatic bets. */
  autobets: number
  coverage: Counts
  events: number
  /** Simulated time, in milliseconds. */
  elapsedMs: number
  /** Equal for equal histories. */
  trace: number
  story: string[] | null
}

/** Faults and players stop after this long. */
const LIVELY_MS = [20_000, 80_000] as const
/** How long faults continue after the players have stopped, in the share of histories in which they do. */
const QUIET_MS = 360_000
const QUIETS = 0.3
/** The length of a few long histories, in which whatever lasts for minutes meets faults too. */
const LONG_MS = [360_000, 480_000] as const
/**
 * After the faults have ended, everything is done within this time: an outbox waits five minutes at most. Until D1 has
 * a position that waits there, the bankroll is in doubt, and nothing new is staked.
 */
const REST_MS = 12 * MINUTE_MS
/** Of this time, the last minutes change nothing. */
const IDLE_MS = 4 * MINUTE_MS
/** The books of a day are counted within this time while nothing is wrong. */
const COUNTED_MS = 2 * MINUTE_MS
/** Late requests have usually arrived after this long. */
const STRAGGLERS_MS = 75_000
/** An answer takes no longer while nothing is wrong. */
const ANSWER_MS = 5_000
/** The statement of a long history has dozens of pages. */
const STATEMENT_MS = 6 * ANSWER_MS
/** Opening with every payment takes no longer while nothing is wrong. */
const SETTLE_MS = 4 * MINUTE_MS
/** The partner repeats its orders within this time, each several times while a player's deposit is missing. */
const PARTNER_MS = 16 * MINUTE_MS
/** A wallet's transaction waits for deposits before it, and these for a vault that is paused. */
const CODES_MS = 3 * MINUTE_MS
/** A viewer has seen a whole round within this time. */
const WATCHED_MS = 6 * MINUTE_MS
export const MAX_PLAYERS = 4
/** The share of histories in which one more player's page bets automatically. */
const AUTOMATIC = 0.4
/** The share of histories with a vault in which somebody else has the relayer's key. */
const LEAKED = 0.15
const LEAKED_IN_THEME = 0.9
/** The share of the days that pass which end while windows do. */
const WINDOWS_END = 0.5
/** How much longer players pause in a long history. */
const SLOWLY = 8

export interface Options {
  choice?: Choice
  isTold?: boolean
  /** Whether it ends with the first problem. */
  isHasty?: boolean
  /** The rules of automatic betting: with them, there is some in the history. */
  rules?: Rules | undefined
}

/** Plays the history of a seed. */
export async function playHistory(
  seed: number,
  setting: Setting,
  { choice = EVERYTHING, isTold = false, isHasty = false, rules }: Options = {},
): Promise<Played> {
  const coverage = new Coverage()
  const world = new World(seed, setting, { coverage, choice, isTold })
  let autobets = 0
  try {
    autobets = await live(world, { isHasty, rules })
  } catch (fault) {
    if (!(fault instanceof Enough)) throw fault
  } finally {
    world.close()
  }
  const { problems, done, faults, scheduler, story } = world
  return {
    seed,
    problems,
    leak: null,
    operations: done,
    faults: faults.injected,
    autobets,
    coverage: coverage.counts,
    events: scheduler.events,
    elapsedMs: scheduler.now - world.start,
    trace: scheduler.trace,
    story,
  }
}

/** Ends a history that has shown its problem. */
class Enough extends Error {}

/** @returns the number of automatic bets */
async function live(
  world: World,
  { isHasty, rules }: Pick<Options, 'isHasty' | 'rules'>,
): Promise<number> {
  const { scheduler, random, faults } = world
  const journals = new JournalWatch(world)
  const rounds = new RoundWatch(world)
  const seeds = new SeedWatch(world)
  const entries = new EntryWatch(world)
  const boxes = new BoxWatch(world)
  let [changes, blocks] = [-1, world.chain?.blocks]
  const run: Run = (forMs, isOver) => {
    const check = () => {
      // What they watch follows from what objects store and the chain has.
      if (world.changes === changes && world.chain?.blocks === blocks) return
      changes = world.changes
      blocks = world.chain?.blocks
      journals.check()
      world.standings.check()
      rounds.check()
      seeds.check()
      entries.check()
      boxes.check()
    }
    const afterEach = () => {
      check()
      if (isHasty && world.problems.length > 0) throw new Enough()
    }
    return scheduler.run(scheduler.now + forMs, afterEach, isOver)
  }
  const within = <T>(what: string, forMs: number, work: Promise<T>) =>
    ended(world, what, work, (isOver) => run(forMs, isOver))
  const count = random.between('players', 1, MAX_PLAYERS)
  const players = WALLETS.slice(0, count).map(
    (wallet, index) => new Player(world, rounds, wallet, index),
  )
  const isLong = random.chance('is long', faults.theme?.isLong ? 0.4 : 0.03)
  const [low, high] = isLong ? LONG_MS : LIVELY_MS
  const livelyMs = random.between('lively', low, high)
  const partner = new PartnerClient(world, WALLETS.slice(0, count))
  const isOfPartners = world.traits.needsConsent || faults.theme?.isOfPartners
  const hasPartner = random.chance('has a partner', isOfPartners ? 0.9 : 0.5)
  const cashiers = players.map(({ name, wallet }) => new Cashier(world, wallet, name))
  const till: Till = { payments: [], told: new Map() }
  const openers = players
    .filter(() => world.shareSite !== null)
    .map(({ name, wallet }) => new Opener(world, till, wallet, name))
  const advertisers = players
    .filter(() => world.shareSite !== null)
    .map(({ name, wallet }) => new Advertiser(world, wallet, name))
  const guardians = players
    .filter(() => world.traits.hasLimits)
    .map(({ name, wallet }) => new Guardian(world, wallet, name))
  const told = () => guardians.flatMap((guardian) => guardian.told)
  const { boxOwner, collectors } = boxSellers(world, boxes, players, told)
  planCron(world)
  boxOwner?.start()
  if (world.chain) await openVault(world, world.chain, run)
  planRestores(world)
  if (world.chain && random.chance('the vault is paused', 0.25)) planPause(world, world.chain)
  const leaked = faults.theme?.isOfLeaks ? LEAKED_IN_THEME : LEAKED
  const hasIntruder = random.chance('the key of the relayer has leaked', leaked)
  if (world.chain && hasIntruder) planIntrusions(world, world.chain)
  const stranger = new Stranger(world)
  const hasStranger = random.chance('has a stranger', 0.3)
  const office = new Office(world, WALLETS.slice(0, count))
  const caretaker = new Caretaker(world, office, {
    wallets: WALLETS.slice(0, count),
    withdrawals: () => cashiers.flatMap((cashier) => cashier.accepted),
  })
  const until = scheduler.now + livelyMs
  faults.isOn = true
  planOutage(world)
  const lives = players.map(async (player, index) => {
    const cashier = world.chain ? cashiers[index] : undefined
    await (cashier ?? player).fund()
    // Some leave early, so that their last operation meets faults too.
    const stays = random.between(`${player.name} stays`, 30, 100) / 100
    const leavesAt = until - (1 - stays) * livelyMs
    await Promise.all([
      player.live(leavesAt, isLong ? SLOWLY : 1),
      cashier?.live(leavesAt),
      // A contract cannot send the transaction of a payment.
      ...(world.chain?.isContract(player.wallet)
        ? []
        : [openers[index]?.live(leavesAt), advertisers[index]?.live(leavesAt)]),
      guardians[index]?.live(leavesAt),
      collectors[index]?.live(leavesAt),
    ])
  })
  if (hasPartner) lives.push(partner.live(until))
  if (world.traits.hasOperators) lives.push(office.live(until), caretaker.live())
  const viewers = Array.from({ length: world.traits.viewers }, (_, at) => new Viewer(world, at + 1))
  lives.push(...viewers.map((viewer) => viewer.live(until)))
  if (hasStranger) lives.push(stranger.live(until))
  if (boxOwner) lives.push(boxOwner.live(until))
  const autobettors = autobettorsOf(world, rules)
  lives.push(betAutomatically(world, autobettors, until, isLong ? SLOWLY : 1))
  await run(livelyMs)
  if (world.chain && world.shareSite) fillPool(world.chain)
  const aDayPasses = random.chance('a day passes', world.traits.hasLimits ? 0.4 : 0.03)
  const comeBack = !aDayPasses || random.chance('players come back', 0.6)
  if (aDayPasses) {
    // A game that was left open is ended after a day, or by a player who comes back.
    world.passDay(comeBack && random.chance('windows end', WINDOWS_END))
    const again = scheduler.now + LIVELY_MS[0]
    const both = comeBack ? [...players, ...guardians] : []
    lives.push(...both.map((each) => each.live(again, 1)))
    await run(LIVELY_MS[0])
  }
  if (!isLong && random.chance('has a quiet time', QUIETS)) await run(QUIET_MS)
  boxOwner?.settle()
  faults.isOn = false
  world.tell(() => '--- the faults end ---')
  await within('the players', 2 * MINUTE_MS, Promise.all(lives))
  const codes = Promise.all(cashiers.map((cashier) => cashier.settle()))
  await within('the code of wallets', CODES_MS, codes)
  // An automatic bet, a debit or a spin that was refused is asked for until it is decided.
  const asks = autobettors.length > 0 || hasPartner || world.shareSite !== null
  const settling = office.settle(!asks).then(() => caretaker.settle())
  await within('the operators', 4 * MINUTE_MS, settling)
  if (hasPartner) await within('the partner', PARTNER_MS, partner.settle())
  const openings = Promise.all([...openers, ...advertisers].map((each) => each.settle()))
  await within('the last openings', SETTLE_MS, openings)
  const claims = Promise.all(collectors.map((collector) => collector.settle()))
  await within('the last boxes', SETTLE_MS, claims)
  const watching = Promise.all(viewers.map((viewer) => viewer.settle()))
  await within('the viewers', WATCHED_MS, watching)
  // Those that were left open for a day have been ended.
  const openedFrom = comeBack ? 0 : world.nextDayAt - MAX_SKEW_MS
  const endGames = () => Promise.all(players.map((player) => player.endGame(openedFrom)))
  await within('the last games', MINUTE_MS, endGames())
  for (const each of autobettors) await within(`what ${each.name} has bet`, REST_MS, each.settle())
  // Most rest follows from alarms alone. Reads may only speed it up.
  const readers = random.chance('everybody looks', 0.3) ? players : []
  const looks = Promise.all(readers.map((player) => player.look()))
  await within('a last look', MINUTE_MS, looks)
  await run(STRAGGLERS_MS)
  // A late request may have opened another one since.
  await within('games of stragglers', MINUTE_MS, endGames())
  if (world.chain) world.chain.isAtRest = true
  await run(REST_MS - IDLE_MS)
  if (world.chain) await settleVault(world, world.chain, caretaker, { run, within })
  if (world.chain && someRestEnds(world, IDLE_MS)) await run(2 * IDLE_MS)
  const usage = usageOf(world)
  await run(IDLE_MS)
  checkIdle(world, usage)
  const day = dateOf(world.start)
  if (world.traits.hasOperators) {
    const endedAt = scheduler.now - world.clocksDifferMs
    await within('the order to count the books', MINUTE_MS, caretaker.countBooks(day))
    await run(COUNTED_MS, () => countedAt(world, day) >= endedAt)
  }
  const ask = (place: Place, method: string, args: unknown[] = []) =>
    within(`${place.path}.${method}`, ANSWER_MS, callObject(world, place, method, args))
  // Before the audit, which opens every ledger.
  checkStrangers(world, stranger)
  const audits = await checkAtRest(world, journals, ask)
  await checkPartner(world, partner, audits, (what, work) => within(what, STATEMENT_MS, work))
  const accepted = cashiers.flatMap((cashier) => cashier.accepted)
  if (world.chain) checkVault(world, world.chain, audits, accepted)
  if (world.chain) await checkSolvency(world, audits, ask)
  checkConsents(world)
  if (world.chain) checkGas(world, world.chain)
  new LimitCheck(world).checkAll(entries, told())
  checkOperators(world, entries)
  if (world.traits.hasOperators) checkBooks(world, day, entries)
  if (world.traits.hasOperators) checkResolutions(world, entries)
  if (world.chain && world.shareSite) checkLootbox(world, world.chain, till.payments)
  if (world.chain && world.boxes) checkBoxes(world, world.chain, world.boxes)
  checkRentals(
    world,
    advertisers.flatMap(({ rentals }) => rentals),
  )
  await checkAutobets(world, autobettors, ask)
  return autobettors.flatMap(({ steps }) => steps).length
}

/** Returns the tabs in which one more player's page bets automatically; none in some histories. */
export function autobettorsOf(world: World, rules?: Rules): Autobettor[] {
  const wallet = WALLETS[MAX_PLAYERS]
  const isThere = rules !== undefined || world.random.chance('has automatic bets', AUTOMATIC)
  if (!isThere || wallet === undefined) return []
  return TABS.map((kinds) => new Autobettor(world, wallet, kinds, rules))
}

export async function betAutomatically(
  world: World,
  tabs: Autobettor[],
  until: number,
  slowly: number,
): Promise<void> {
  const [first] = tabs
  if (!first) return
  const { wallet, name } = first
  if (world.chain) await new Cashier(world, wallet, name).fund()
  else await takeChips(world, wallet, name)
  await Promise.all(tabs.map((tab) => tab.live(until, slowly)))
}

/** Returns what some work of the world comes to within a run of it, which ends with the work. */
async function ended<T>(
  world: World,
  what: string,
  work: Promise<T>,
  run: (isOver: () => boolean) => Promise<void>,
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
  await run(() => isOver)
  if (!isOver) world.violate(`${what} did not end`)
  return result
}
