import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { CHAIN } from './chain/addresses.ts'
import type { Chain } from './chain/chain.ts'
import { LOOTBOX } from './chain/pool-state.ts'
import { planRecovery } from './invariants/outages.ts'
import { runCron } from './world/http.ts'
import type { World } from './world/world.ts'

/** When the owner pauses the vault, and for how long, in some histories. */
const PAUSED_AFTER_MS = [12_000, 60_000] as const
const PAUSED_MS = [3_000, 90_000] as const
/** How often somebody else uses the relayer's key, in some histories. */
const INTRUSION_MS = [4_000, 30_000] as const
/** How often a database may be restored. */
const RESTORABLE_MS = 20_000
/** What the house brings in, in smallest units of either token. */
const HOUSE_FUNDS = 10n ** 24n
/** What the pool has at first, which is not enough for many prizes, and what it gets later. */
const FIRST_POOL_FUNDS = { ETH: 0n, REWARD: 20n * 10n ** 18n }
const POOL_FUNDS = { ETH: HOUSE_FUNDS, REWARD: HOUSE_FUNDS }

/** Has the owner bring enough for every prize into the pool. */
export function fillPool(chain: Chain): void {
  fundPool(chain, POOL_FUNDS)
}

/**
 * Plans that the databases go back to an earlier time. Only operators can complete the history then, and without a
 * vault they know of a wallet only once D1 has its position.
 */
export function planRestores(world: World): void {
  if (!world.chain) return
  planRestore(world, 'D1', 'DB', ['heartbeat', 'beat'])
  if (world.traits.hasOperators)
    planRestore(world, 'HISTORY', 'HISTORY', ['crash_rounds', 'round_id'])
}

/** Has the owner fund the vault, and the service count it. */
export async function openVault(
  world: World,
  chain: Chain,
  run: (forMs: number) => Promise<void>,
): Promise<void> {
  const from = CHAIN.owner
  for (const token of [CHAIN.usdg, CHAIN.eth])
    chain.send(from, { kind: 'fund', from, token, amount: HOUSE_FUNDS }, `fund ${token}`)
  if (world.shareSite) fundPool(chain, FIRST_POOL_FUNDS)
  chain.run()
  await run(12_000)
  for (let counts = 0; counts < 2; counts++) {
    runCron(world)
    await run(6_000)
  }
}

/** Has the owner fund the pool with prizes. */
function fundPool(chain: Chain, funds: Record<'ETH' | 'REWARD', bigint>): void {
  const transfer = { kind: 'transfer', to: LOOTBOX.pool, data: '0x', isFunding: true } as const
  const id = `fund the pool with ${funds.REWARD}`
  chain.send(CHAIN.owner, { ...transfer, amount: funds.ETH }, `${id} ETH`)
  chain.send(CHAIN.owner, { ...transfer, amount: funds.REWARD, isReward: true }, id)
}

/** Plans that a database goes back to an earlier time, at which some number in it was lower. */
function planRestore(
  world: World,
  boundary: string,
  name: string,
  [table, column]: readonly [string, string],
): void {
  const { scheduler, faults } = world
  const database = world.databases[name]
  database?.backUp()
  scheduler.after(RESTORABLE_MS, 'restore', null, () => {
    const fault = faults.at(boundary, faults.crossing(boundary), ['restored'])
    const number = fault ? (database?.restore(table, column) ?? null) : null
    if (number !== null) {
      world.tell(() => `${name} is restored to an earlier time`)
      if (name === 'DB') world.expectNotice(number)
    }
    planRestore(world, boundary, name, [table, column])
  })
}

/** Plans that the owner pauses the vault for a while. */
export function planPause(world: World, chain: Chain): void {
  const { scheduler, random } = world
  const set = (isPaused: boolean) => {
    world.tell(() => `the owner ${isPaused ? 'pauses' : 'unpauses'} the vault`)
    chain.send(CHAIN.owner, { kind: 'pause', isPaused }, `pause ${isPaused}`)
  }
  const pausesIn = random.between('paused after', ...PAUSED_AFTER_MS)
  const lastsMs = random.between('paused for', ...PAUSED_MS)
  scheduler.after(pausesIn, 'pause', null, () => set(true))
  scheduler.after(pausesIn + lastsMs, 'unpause', null, () => set(false))
}

/** Plans that something does not answer for a while. It answers again at the latest when the faults end. */
export function planOutage(world: World): void {
  const { faults, scheduler, traits } = world
  if (!traits.outage) return
  const { what, calls, afterMs, lastsMs, isAlone } = traits.outage
  faults.isAlone = isAlone
  scheduler.after(afterMs, 'outage', null, () => {
    world.tell(() => `${what} stops answering for ${lastsMs} ms`)
    faults.out = calls
  })
  scheduler.after(afterMs + lastsMs, 'end of the outage', null, () => {
    world.tell(() => `${what} answers again`)
    faults.out = null
    planRecovery(world)
  })
}

/**
 * Plans that somebody else uses the relayer's key: for transactions that take a nonce, perhaps one that the relayer has
 * used, and for payments that the relayer is about to make.
 */
export function planIntrusions(world: World, chain: Chain): void {
  const { faults, random, relayer, scheduler } = world
  chain.isKeyLeaked = true
  const transfer = { kind: 'transfer', to: CHAIN.owner, amount: 0n, data: '0x' } as const
  const intrude = (count: number) => {
    if (!faults.isOn) return
    const name = `intrusion ${count}`
    const waiting = chain.waitingOf(relayer)
    const copied = random.chance(`${name} pays`, 0.5) ? waiting.at(-1)?.call : undefined
    const call = copied ?? { ...transfer, isFunding: true }
    const next = chain.head.state.accounts.get(relayer) ?? 0
    const nonce = random.chance(`${name} competes`, 0.6) ? next : undefined
    world.tell(() => `somebody else uses the relayer's key: ${call.kind}, nonce ${nonce ?? 'free'}`)
    chain.send(relayer, call, name, nonce)
    plan(count + 1)
  }
  const plan = (count: number) => {
    const inMs = random.between(`intrusion ${count} in`, ...INTRUSION_MS)
    scheduler.after(inMs, `intrusion ${count}`, null, () => intrude(count))
  }
  plan(1)
}

/** Plans the cron trigger, once a minute. */
export function planCron(world: World): void {
  world.scheduler.after(MINUTE_MS, 'cron', null, () => {
    runCron(world)
    planCron(world)
  })
}
