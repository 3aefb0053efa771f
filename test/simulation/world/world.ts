import type { Address } from 'viem'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { QUICKNET } from '../../../src/fairness/drand.ts'
import { CHAIN } from '../chain/addresses.ts'
import { Chain } from '../chain/chain.ts'
import { askNode } from '../chain/node.ts'
import { StandingWatch } from '../invariants/standing.ts'
import { callObject } from './calls.ts'
import type { Coverage } from './coverage.ts'
import { cryptoOf, type RuntimeCrypto } from './crypto.ts'
import { D1 } from './d1.ts'
import { Faults, INJECTED_MESSAGES, NET_BROKEN, type Injected } from './faults.ts'
import { Isolate, type Program } from './isolates.ts'
import { isExplained } from './log-lines.ts'
import { Objects } from './objects.ts'
import { Peppers } from './peppers.ts'
import { R2 } from './r2.ts'
import { Random } from './random.ts'
import { askRelay } from './relays.ts'
import { Scheduler } from './scheduler.ts'
import { PROVIDER, ShareSite } from './share-site.ts'
import { MAX_SKEW_MS, traitsOf, type Traits } from './traits.ts'
import { Transitions } from './transitions.ts'
import {
  boxVars,
  consenting,
  hasTightLimits,
  limitVars,
  lootboxVars,
  vaultVars,
  type Limits,
} from './variables.ts'

/** What the service logs about deposits and payments that the chain has dropped. */
const TOLD_OF_VAULT =
  /"(credited_deposit_missing|payout_paid_after_burn|relayer_transaction_reorganised|vault_drift_stays|withdrawals_paused)"/

/** What all histories of a process share. */
export interface Setting {
  /** The Worker; during a gradual deployment both of its versions. */
  programs: readonly Program[]
  /** The plain variables of wrangler.toml. */
  vars: Record<string, unknown>
  /** The classes of the objects, by the name of their binding. */
  objectBindings: Record<string, string>
  /** The migrations of the D1 databases, by the name of their binding. */
  databases: Record<string, string[]>
  /** The bindings of R2 buckets. */
  buckets: readonly string[]
  rateLimits: readonly string[]
  /** The service's account on the chain, in histories with a vault. */
  relayer: { address: Address; privateKey: string }
  /** Signs the openings of boxes, in histories with boxes. */
  boxSigner: { privateKey: string }
}

/** A choice of what happens, to repeat a history in part. */
export interface Choice {
  faults: readonly Injected[] | null
  /** The operations to leave out, by name. */
  without: ReadonlySet<string>
}

export const EVERYTHING: Choice = { faults: null, without: new Set() }

/** Noon, so that no midnight comes by chance. */
export const NOON = Date.UTC(2027, 0, 15, 12)

/** After this long, a game that was left open has been cashed out, and a looser limit can be confirmed. */
export const NEXT_DAY_MS = 25 * 3_600_000

/** A late request is delivered within this time, if not at a planned transition. In milliseconds. */
const LATE_MS = 15_000
/** How faults aim at a planned transition: closely, while clocks disagree about it, or around it. */
const CLOSELY = [-40, 40] as const
const REACHES = [
  CLOSELY,
  [-MAX_SKEW_MS, 50],
  [-MAX_SKEW_MS, 50],
  [-2 * MAX_SKEW_MS, MAX_SKEW_MS],
] as const

/** One history's world: the service, its databases and its network under one scheduler. */
export class World {
  readonly programs: readonly Program[]
  /** When it begins, in true unix milliseconds. */
  readonly start: number
  readonly random: Random
  readonly scheduler: Scheduler
  readonly coverage: Coverage
  readonly faults: Faults
  readonly transitions = new Transitions()
  readonly isolates: readonly Isolate[]
  readonly traits: Traits
  readonly objects: Objects
  readonly databases: Readonly<Record<string, D1>>
  readonly buckets: Readonly<Record<string, R2>>
  /** The chain, in histories with a vault. */
  readonly chain: Chain | null
  /** The site whose posts win free spins, in histories with a lootbox. */
  readonly shareSite: ShareSite | null
  /** The peppers of the boxes, in histories with boxes. */
  readonly boxes: Peppers | null
  /** The published limits of rounds and games, and whether usual stakes meet them. */
  readonly limits: Limits
  readonly hasTightLimits: boolean
  /** What the ledgers have of their players, now and before. */
  readonly standings: StandingWatch
  readonly choice: Choice
  /** When the day that is left out ended, in true unix milliseconds; 0 before that. */
  nextDayAt = 0
  /** When a time ended in which nothing happened. */
  resumedAt = 0
  /** Rises whenever an object writes something, or loses it. */
  changes = 0
  /** The story so far, if it is wanted. */
  readonly story: string[] | null
  /**
   * In a twin, what the rounds draw depends on this name too, and nobody in the world outside knows when they
   * change; null otherwise.
   */
  readonly twin: string | null
  /** What left the rounds and the service, in a twin. */
  readonly left: { at: number; what: string }[] = []
  /** What went wrong in the service without a cause in the world. */
  readonly problems: string[] = []
  /** How often code has called the chain's node, by the name of its host. */
  readonly nodeCalls = new Map<string, number>()
  /** How often code has drawn random bytes, by the name of its host. */
  readonly draws = new Map<string, number>()
  /** The operations of clients, by name, in order. */
  readonly done: string[] = []
  readonly #promises = new Map<string, string>()
  readonly #setting: Setting
  readonly #latencyMs: number
  /** When a router could not read the modes. */
  readonly #modesUnreadAt: number[] = []
  /** When the service last noticed that D1 had been restored. */
  #restoreNoticedAt = -Infinity
  /** When D1 was last restored to a heartbeat before the latest one that the service knows. */
  #noticeableAt = -Infinity

  constructor(
    seed: number,
    setting: Setting,
    options: { coverage: Coverage; choice: Choice; isTold: boolean; twin?: string | null },
  ) {
    this.#setting = setting
    this.programs = setting.programs
    this.random = new Random(seed)
    this.choice = options.choice
    this.coverage = options.coverage
    this.faults = new Faults(this.random, this.coverage, options.choice.faults)
    this.story = options.isTold ? [] : null
    this.twin = options.twin ?? null
    this.traits = traitsOf(this.random, this.faults.theme, this.twin !== null)
    const { isNearMidnight, hasVault, hasLootbox, hasBoxes, skewsMs } = this.traits
    const start = isNearMidnight ? Math.ceil(NOON / DAY_MS) * DAY_MS - 30_000 : NOON
    this.start = start + this.random.between('start', 0, 999)
    this.scheduler = new Scheduler(this.start)
    this.transitions.plan(Math.ceil(this.start / DAY_MS) * DAY_MS, true)
    this.#latencyMs = this.random.between('latency', 1, 60)
    this.objects = new Objects(this)
    this.databases = Object.fromEntries(
      Object.entries(setting.databases).map(([name, sql]) => [name, new D1(this, name, sql)]),
    )
    this.buckets = Object.fromEntries(setting.buckets.map((name) => [name, new R2(this, name)]))
    this.chain = hasVault ? new Chain(this) : null
    this.shareSite = hasLootbox ? new ShareSite(this) : null
    this.boxes = hasBoxes ? new Peppers(this.random) : null
    this.hasTightLimits = hasTightLimits(this.random)
    this.limits = limitVars(setting.vars, this.hasTightLimits)
    this.standings = new StandingWatch(this)
    this.isolates = skewsMs.map((skewMs, number) => new Isolate(this, number, skewMs))
  }

  /** Whether the service has noticed every restore of D1 that it can notice. */
  get isRestoreNoticed(): boolean {
    return this.#restoreNoticedAt >= this.#noticeableAt
  }

  /** Expects the service to notice that D1's heartbeat has gone back, if it knows a later one. */
  expectNotice(beat: number): void {
    const [treasury] = this.objects.of('Treasury')
    const [known] = treasury?.disk.exec('SELECT beat FROM trust', []).rows ?? []
    if (Number(known?.['beat']) > beat) this.#noticeableAt = this.scheduler.now
  }

  /** The address of the relayer's account. */
  get relayer(): Address {
    return this.#setting.relayer.address
  }

  /** Returns the `env` of an isolate. */
  environment(): object {
    const { vars, objectBindings, rateLimits, relayer, boxSigner } = this.#setting
    const namespaces = Object.entries(objectBindings).map(([binding, className]) => [
      binding,
      { getByName: (name: string) => this.#stub(className, name) },
    ])
    const open = { limit: async () => ({ success: true }) }
    return {
      ...vars,
      ...this.limits,
      ...(this.chain && vaultVars(relayer.privateKey)),
      ...(this.shareSite && lootboxVars(vars['LOOTBOX'] as object)),
      ...(this.boxes && boxVars(boxSigner.privateKey, this.boxes)),
      ...(this.traits.hasBeacons && { CRASH_PEPPER: 'drand-quicknet' }),
      ...(this.traits.needsConsent && { PARTNERS: consenting(vars['PARTNERS'] as object) }),
      ...this.databases,
      ...this.buckets,
      ...Object.fromEntries(namespaces),
      ...Object.fromEntries(rateLimits.map((name) => [name, open])),
    }
  }

  #stub(className: string, name: string): object {
    const place = () => this.objects.at(className, name)
    return new Proxy(
      {},
      {
        get: (_, method) =>
          typeof method === 'string' && method !== 'then'
            ? (...args: unknown[]) => callObject(this, place(), method, args)
            : undefined,
      },
    )
  }

  /** Replaces an isolate, which ends the objects in it. */
  recycle(isolate: Isolate): void {
    this.tell(() => `isolate ${isolate.number} is replaced`)
    for (const place of this.objects.all()) if (place.isolate === isolate) place.kill()
    isolate.recycle()
  }

  /** How much the clocks of two machines may differ, with the time that a message takes. */
  get clocksDifferMs(): number {
    return (this.traits.isSkewed ? 2 * MAX_SKEW_MS : 0) + 300
  }

  /** Whether it is still the day on which it began. */
  get isOneDay(): boolean {
    const { now } = this.scheduler
    return (
      Math.floor((now + MAX_SKEW_MS) / DAY_MS) === Math.floor((this.start - MAX_SKEW_MS) / DAY_MS)
    )
  }

  /** Returns whether the modes could not be read at some time within a period, whose ends are by any clock. */
  wereModesUnread(from: number, until: number): boolean {
    const skewMs = this.clocksDifferMs
    return this.#modesUnreadAt.some((at) => at >= from - skewMs && at <= until + skewMs)
  }

  /** Returns the isolate that a client's request reaches. */
  isolateFor(request: string): Isolate {
    const { isolates, random, scheduler } = this
    const { turnMs } = this.traits
    const turned = turnMs && isolates[Math.floor(scheduler.now / turnMs) % isolates.length]
    const goesWithOthers = turned && random.chance(`${request} goes with the others`, 0.8)
    return goesWithOthers ? turned : random.pick(`${request} isolate`, isolates)
  }

  /** Returns how long a message takes. */
  latency(name: string): number {
    return this.random.between(name, 0, this.#latencyMs)
  }

  /**
   * Returns how late a request is delivered: often at a planned transition, and more often before than after.
   * @param ringsAt when its receiver plans to change
   */
  lateness(crossing: string, ringsAt: number | null = null): number {
    const { now } = this.scheduler
    const upcoming = this.transitions.upcoming(now)
    if (upcoming.length === 0 || this.random.chance(`${crossing} unaimed`, 0.3))
      return this.random.between(`${crossing} late`, 0, LATE_MS)
    const rare = this.transitions.rareOf(upcoming)
    const isRare = rare.length > 0 && this.random.chance(`${crossing} aims at a rare one`, 0.5)
    const isOwn = ringsAt !== null && ringsAt > now && ringsAt < now + LATE_MS
    const ownsIt = isOwn && this.random.chance(`${crossing} aims at its receiver`, 0.6)
    const targets = isRare ? rare : ownsIt ? [ringsAt] : upcoming.slice(0, 4)
    const target = this.random.pick(`${crossing} aim`, targets)
    const [from, to] = isRare ? CLOSELY : this.random.pick(`${crossing} reach`, REACHES)
    const offset = this.random.between(`${crossing} offset`, from, to)
    return Math.max(0, target - now + offset)
  }

  /**
   * Lets a day pass in which nothing happens, not even what is due.
   * @param isJust whether it ends within what has passed of the history so far, a day later: then the windows of limits
   * and partners, which began with its stakes, end one after another
   */
  passDay(isJust: boolean): void {
    const passedMs = this.scheduler.now - this.start
    const restMs = this.random.between('windows end from', 0, Math.floor(passedMs / 2))
    this.pass('a day', isJust ? DAY_MS - restMs : NEXT_DAY_MS)
    this.nextDayAt = this.resumedAt
  }

  /** Lets a time pass in which nothing happens, not even what is due. */
  pass(what: string, forMs: number): void {
    this.scheduler.now += forMs
    this.resumedAt = this.scheduler.now
    this.chain?.settle()
    this.tell(() => `--- ${what} passes ---`)
  }

  /** Adds a line to the story. */
  tell(line: () => string): void {
    this.story?.push(`${this.time()}  ${line()}`)
  }

  /** Returns the current time for the story. */
  time(): string {
    return new Date(this.scheduler.now).toISOString().slice(11, 23)
  }

  /** Records what leaves a round or the service, in a twin. */
  leave(what: () => string): void {
    if (this.twin !== null) this.left.push({ at: this.scheduler.now, what: what() })
  }

  /** Records that a rule has been broken. */
  violate(problem: string): void {
    this.problems.push(problem)
    this.tell(() => `VIOLATION: ${problem}`)
  }

  /** Records an answer that must be the same whenever it is given. */
  promise(subject: string, text: string): void {
    const first = this.#promises.get(subject)
    if (first !== undefined && first !== text)
      return this.violate(`${subject} was first answered ${first}, and then ${text}`)
    this.#promises.set(subject, text)
  }

  /** Records a fault that code of the service has met, unless the world has caused it. */
  noteFault(where: string, fault: unknown): void {
    const message = fault instanceof Error ? fault.message : String(fault)
    if (INJECTED_MESSAGES.some((known) => message.includes(known))) return
    this.problems.push(`${where}: ${message}`)
    this.tell(() => `FAULT in ${where}: ${fault instanceof Error ? fault.stack : message}`)
  }

  /** Returns the runtime's `crypto`, which draws differently in each host. */
  crypto(): RuntimeCrypto {
    return cryptoOf(this)
  }

  /** The service's way out to other sites. */
  readonly fetch = (url: unknown, init?: RequestInit): Promise<Response> => {
    this.leave(() => `${this.scheduler.current?.name ?? 'world'} asks ${String(url)}`)
    if (this.chain && String(url).startsWith(CHAIN.rpcUrl)) {
      const host = this.scheduler.current?.name ?? 'world'
      this.nodeCalls.set(host, (this.nodeCalls.get(host) ?? 0) + 1)
      return askNode(this, this.chain, this.relayer, init)
    }
    if (this.shareSite && String(url).startsWith(PROVIDER.endpoint))
      return this.shareSite.ask(new URL(String(url)), init)
    if (this.traits.hasBeacons && String(url).includes(`/${QUICKNET.chainHash}/`))
      return askRelay(this, new URL(String(url)), init)
    return Promise.reject(new Error(NET_BROKEN))
  }

  /** Notices a pepper of the boxes that leaves the service before its batch has ended. */
  expectNoPepper(where: string, text: string): void {
    if (this.boxes?.leaksIn(text)) this.violate(`${where} contains a secret pepper`)
  }

  /** The service's log. An error that the world has not caused is a problem. */
  readonly console = {
    log: (line: string) => this.#take(line),
    warn: (line: string) => this.#take(line),
    error: (line: string) => {
      this.#take(line)
      const where = this.scheduler.current?.name ?? 'world'
      this.tell(() => `${where} logs ${line}`)
      if (line.includes('"modes_read_failed"')) this.#modesUnreadAt.push(this.scheduler.now)
      if (line.includes('"database_restored"')) this.#restoreNoticedAt = this.scheduler.now
      if (TOLD_OF_VAULT.test(line)) this.chain?.alerts.push(line)
      if (!isExplained(this, line)) this.problems.push(`${where} logs ${line}`)
    },
  }

  /** Takes a line of the log. */
  #take(line: string): void {
    this.leave(() => `the log: ${line}`)
    this.expectNoPepper('the log', line)
  }

  /** Frees the databases. */
  close(): void {
    for (const place of this.objects.all()) place.close()
    for (const database of Object.values(this.databases)) database.close()
  }
}
