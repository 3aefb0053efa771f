import type { Address } from 'viem'
import { vi } from 'vitest'
import { PLAYERS } from '../../src/api/dev/players.ts'
import { RECEIPT_KEYS } from '../shared/receipt-keys.ts'
import { CHAIN } from '../simulation/chain/addresses.ts'
import { prepare, readService, type SettingData } from '../simulation/setting.ts'
import { credentialsOf } from '../simulation/wallets.ts'
import type { Edit } from '../simulation/world/bundle.ts'
import { MOVED_AFTER_MS } from '../simulation/world/calls.ts'
import { Coverage } from '../simulation/world/coverage.ts'
import type { RuntimeCrypto } from '../simulation/world/crypto.ts'
import { runCron } from '../simulation/world/http.ts'
import type { Isolate } from '../simulation/world/isolates.ts'
import type { Host } from '../simulation/world/scheduler.ts'
import { EVERYTHING, NOON, World, type Setting } from '../simulation/world/world.ts'
import { askRelay, OWN_BEACON } from './beacon.ts'
import { SIGNING_SUBTLE } from './subtle.ts'

/** The site's origin, as the tools call it. */
export const SITE = 'http://localhost:8787'

const CRON_MS = 60_000
/** From noon to an hour before the end of the day: a story that waits for the end needs no half day of blocks. */
const LATE_MS = 39_600_000
const ANSWER_MS = 20_000
const STEP_MS = 5

/** A world without faults, whose service signs receipts and draws its peppers from a beacon. */
class CalmWorld extends World {
  readonly #askOthers: World['fetch']

  constructor(...from: ConstructorParameters<typeof World>) {
    super(...from)
    this.#askOthers = this.fetch
    Object.assign(this, { fetch: this.#ask })
  }

  /** Calls are so quick that no object moves: it would forget a lie that it only remembers. */
  override latency(name: string): number {
    return Math.min(super.latency(name), MOVED_AFTER_MS)
  }

  override crypto(): RuntimeCrypto {
    return { ...super.crypto(), subtle: SIGNING_SUBTLE }
  }

  readonly #ask: World['fetch'] = async (input, init) => {
    const url = new URL(String(input))
    if (url.pathname.includes('/public/')) return askRelay(url, this.scheduler.now)
    return this.#askOthers(input, init)
  }
}

/** A caller of the service, which has no storage of its own. */
function callerOf(name: string, { process }: Isolate): Host {
  return { kind: 'router', name, isAlive: true, process, whenConfirmed: (run) => run() }
}

const datas = new Map<string, Promise<SettingData>>()

/** A house: the service with some edits to its sources, in a world of its own with its own time. */
export class House {
  readonly world: World
  #line: Promise<unknown> = Promise.resolve()

  private constructor(world: World) {
    this.world = world
    this.#planCron()
    this.#setClock()
    vi.stubGlobal('fetch', this.fetch)
  }

  /**
   * Opens a house.
   * @param hasVault whether its chips are tokens in a vault; otherwise they come from a faucet
   * @param hasLootbox only with a vault, because it needs a chain
   * @param isLate whether it opens an hour before the end of a day, rather than at noon
   */
  static async open(
    edits: readonly Edit[],
    { isLate, ...needs }: { hasVault: boolean; hasLootbox: boolean; isLate: boolean },
  ): Promise<House> {
    const all = [OWN_BEACON, ...edits]
    const name = JSON.stringify(all)
    const data = datas.get(name) ?? readService(all)
    datas.set(name, data)
    const setting = await prepare(await data)
    const world = calmWorld(setting, needs)
    if (isLate) world.scheduler.now += LATE_MS
    return new House(world)
  }

  get now(): number {
    return this.world.scheduler.now
  }

  /** Lets time pass. */
  pass(forMs: number): Promise<void> {
    return this.#inLine(() => this.#run(this.now + forMs))
  }

  /** Who asks, as far as a house can tell: only a lying one looks. */
  visitor = 'main'

  /** Takes the place of the network for the tools. */
  readonly fetch = (input: URL | string, init: RequestInit = {}): Promise<Response> => {
    const { signal: _, ...sent } = init
    Object.assign(globalThis, { visitor: this.visitor })
    if (String(input).startsWith(CHAIN.rpcUrl))
      return this.#inLine(() => this.#askChain(input, sent))
    return this.#inLine(() => this.#ask(new Request(input, sent)))
  }

  /** Reads an answer as a player, signed in. */
  get<T>(wallet: string, path: string, query: Record<string, string> = {}): Promise<T> {
    const search = new URLSearchParams({ ...query, ...credentialsOf(wallet, this.now) })
    return this.#json(`${path}?${search.toString()}`)
  }

  post<T>(wallet: string, path: string, fields: object): Promise<T> {
    const body = JSON.stringify({ ...fields, ...credentialsOf(wallet, this.now) })
    const headers = { 'content-type': 'application/json' }
    return this.#json(path, { method: 'POST', headers, body })
  }

  async #json<T>(path: string, init?: RequestInit): Promise<T> {
    const response = await this.fetch(new URL(path, SITE), init)
    return (await response.json()) as T
  }

  close(): void {
    this.world.close()
  }

  /** Tools ask several things at the same time, but the world has one time. */
  #inLine<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#line.then(work)
    this.#line = result.catch(() => {})
    return result
  }

  async #ask(request: Request): Promise<Response> {
    const [isolate] = this.world.isolates
    if (!isolate) throw new Error('a world has an isolate')
    const context = { waitUntil: () => {}, passThroughOnException: () => {} }
    return this.#answered(callerOf(request.url, isolate), async () =>
      isolate.exports.default.fetch(request, isolate.env, context),
    )
  }

  /** Asks any node of the chain, such as a player's own. */
  #askChain(input: URL | string, init: RequestInit): Promise<Response> {
    return this.#answered(null, () => this.world.fetch(input, init))
  }

  /** Lets time pass until some work of the world has its answer. */
  async #answered(host: Host | null, work: () => Promise<Response>): Promise<Response> {
    const settled: { answer?: Response; fault?: unknown } = {}
    this.world.scheduler.after(1, 'request', host, () => {
      work().then(
        (answer) => (settled.answer = answer),
        (fault: unknown) => (settled.fault = fault),
      )
    })
    for (const until = this.now + ANSWER_MS; this.now < until; await this.#run(this.now + STEP_MS))
      if (settled.answer) return settled.answer
    throw new Error('no answer', { cause: settled.fault })
  }

  async #run(until: number): Promise<void> {
    await this.world.scheduler.run(until, () => {})
    this.#setClock()
  }

  /** The tools have the world's clock. */
  #setClock(): void {
    vi.setSystemTime(this.now)
  }

  #planCron(): void {
    this.world.scheduler.after(CRON_MS, 'cron', null, () => {
      runCron(this.world)
      this.#planCron()
    })
  }
}

/** Returns a world in which all clocks agree and all requests reach the same isolate. */
function calmWorld(
  setting: Setting,
  { hasVault, hasLootbox }: { hasVault: boolean; hasLootbox: boolean },
): World {
  const vars = { ...setting.vars, RECEIPT_KEYS, CRASH_PEPPER: 'drand-quicknet' }
  for (let seed = 1; ; seed++) {
    const options = { coverage: new Coverage(), choice: EVERYTHING, isTold: false }
    const world = new CalmWorld(seed, { ...setting, vars }, options)
    const isCalm =
      !world.traits.isSkewed && world.start < NOON + 1_000 && world.isolates.length === 1
    const hasRoom = !world.hasTightLimits
    const isEquipped =
      (world.chain !== null) === hasVault && (!hasLootbox || world.shareSite !== null)
    if (isCalm && hasRoom && isEquipped) return world
    world.close()
  }
}

/** The players. */
export const [ADA, BEN, CLEO] = PLAYERS.map(({ address }) => address) as [Address, Address, Address]
