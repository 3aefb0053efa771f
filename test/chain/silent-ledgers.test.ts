import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reprojection } from '../../src/calls/objects.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { Ledger, VaultWatch } from '../../src/worker.ts'
import { setModes } from '../workers/operator.ts'
import { pass, Player, ringLedger } from '../workers/support.ts'
import {
  chipsOf,
  deposit,
  depositor,
  fundHouse,
  look,
  statusOf,
  useChain,
  withdraw,
  work,
  bankroll,
  sweepMinutes as minutes,
} from './support.ts'

useChain()

const owner = new Player(8)
const FUNDED = 1_000_000_000n
const WITHDRAWN = 100_000_000n

/** Makes the calls of a method fail for one wallet's ledger. */
function silence(
  method: 'sendPosition' | 'takeVaultTransaction' | 'withdrawalProgress',
  { wallet }: Player,
) {
  const real = Reflect.get(Ledger.prototype, method) as (...args: unknown[]) => Promise<never>
  return vi.spyOn(Ledger.prototype, method).mockImplementation(async function (
    this: Ledger,
    ...args: unknown[]
  ) {
    const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
    if (name === wallet) throw new Error('it is damaged')
    return real.apply(this, args)
  })
}

/** Returns a player whose deposit has settled and whose position has arrived, in a site with a bankroll. */
async function settledDepositor(): Promise<Player> {
  await fundHouse('USDG', FUNDED)
  expect((await owner.act('house-topup')).status).toBe(200)
  const alice = await depositor(0)
  pass(5 * MINUTE_MS)
  await ringLedger(alice)
  await minutes(1)
  return alice
}

it('bets go on although the ledger of a paid withdrawal does not answer', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const alice = await settledDepositor()
  const silent = silence('withdrawalProgress', alice)
  await withdraw(alice, { amountWei: WITHDRAWN })
  await work(alice, 4)
  await minutes(1)
  pass(31 * MINUTE_MS)
  await minutes(12)
  // The vault has paid it, and the position still owes it.
  expect(await bankroll()).toBe((FUNDED - WITHDRAWN).toString())
  silent.mockRestore()
  pass(5 * MINUTE_MS)
  await look()
  expect(await statusOf(alice)).toBe('confirmed')
  // Until its position has followed, no count succeeds, and the last one is valid.
  await minutes(1)
  expect(await bankroll()).toBe((FUNDED - WITHDRAWN).toString())
  pass(4 * MINUTE_MS)
  await ringLedger(alice)
  await minutes(1)
  expect(await bankroll()).toBe(FUNDED.toString())
})

describe('after a restore of the database, with a damaged ledger, bets', () => {
  let alice: Player

  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    alice = await settledDepositor()
    silence('sendPosition', alice)
    await env.DB.prepare('UPDATE heartbeat SET beat = beat - 60000').run()
    await minutes(1)
  })

  /** Has the job that sends all positions again read its lists, and then ask for some minutes those that are silent. */
  async function reproject(count: number): Promise<void> {
    const job = reprojection(env)
    for (let alarms = 0; (await job.progress()).stage !== null; alarms++) {
      expect(alarms).toBeLessThan(1_000)
      await runDurableObjectAlarm(job)
    }
    for (let minute = 0; minute < count; minute++) {
      await minutes(1)
      await runDurableObjectAlarm(job)
    }
  }

  it('resume once its wallet is closed', async () => {
    await setModes(`wallet:${alice.wallet}=draining`)
    await reproject(12)
    expect(await bankroll()).toBe('0')
    await setModes(`wallet:${alice.wallet}=closed`)
    // Not at once: the database itself may have been silent until now.
    await reproject(2)
    expect(await bankroll()).toBe('0')
    await reproject(30)
    await minutes(1)
    expect(await bankroll()).toBe(FUNDED.toString())
  })

  it('wait if the database has no position of its wallet', async () => {
    await env.DB.prepare('DELETE FROM ledger_positions WHERE wallet = ?').bind(alice.wallet).run()
    await setModes(`wallet:${alice.wallet}=closed`)
    await reproject(12)
    expect(await reprojection(env).progress()).toMatchObject({ finishedAt: null, waiting: 1 })
    expect(await bankroll()).toBe('0')
  })
})

describe('a deposit that does not reach its ledger', () => {
  const bob = new Player(1)

  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await deposit(bob, 'USDG', 5n)
    silence('takeVaultTransaction', bob)
  })

  afterEach(async () => {
    vi.restoreAllMocks()
    expect(await chipsOf(bob), 'once the ledger answers').toBe(5n)
  })

  it('makes the states of other wallets no dearer: an isolate asks once for all of them', async () => {
    const alice = await depositor(0)
    pass(2_000)
    const calls = (['catchUp', 'undelivered'] as const).map((name) =>
      vi.spyOn(VaultWatch.prototype, name),
    )
    for (let reads = 0; reads < 10; reads++) await alice.state()
    expect(calls.map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  })

  it('does not keep the owner from counting the house', async () => {
    await fundHouse('USDG', FUNDED)
    const { status, body } = await owner.act('house-topup')
    expect([status, body.house?.USDG]).toEqual([200, FUNDED.toString()])
  })
})
