import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { parseEther, zeroAddress, type Address } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { lootboxDay, payment, reprojection } from '../../src/calls/objects.ts'
import { prizePoolAbi } from '../../src/chain/abi.ts'
import { dateOf } from '../../src/core/utc-day.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../src/lootbox/prizes.ts'
import { sweep } from '../../src/sweep.ts'
import { costsOf } from '../workers/costs.ts'
import { look as lookAs } from '../workers/operator.ts'
import { codeOf, get, now, pass, Player, restart, rowsOf, setTime } from '../workers/support.ts'
import {
  FEED_ADDRESS,
  LOOTBOX,
  OWNER,
  POOL_ADDRESS,
  REWARD_TOKEN_ADDRESS,
  STOCK_ADDRESS,
} from './accounts.ts'
import {
  COIN,
  fundPool,
  open,
  payPool,
  REWARD,
  rig,
  setFeed,
  STOCK,
  STOCK_PRICE,
  useLootbox,
  work,
} from './lootbox.ts'
import {
  ask,
  balanceOf,
  chain,
  look,
  mined,
  setVars,
  theRelayer,
  useChain,
  write,
} from './support.ts'

useChain()
useLootbox()

const alice = new Player(0)
const pay = () => mined(payPool(alice))
/** Takes the relayer back to a time before any order. */
const forgetOrders = () =>
  runInDurableObject(theRelayer(), (_: unknown, { storage }) => {
    const tables = ['payouts', 'transactions', 'attempts', 'outbox']
    for (const table of tables) storage.sql.exec(`DELETE FROM ${table}`)
  })
const holds = (token: Address) => balanceOf(token, alice.account.address)

describe('the lootbox', () => {
  it('publishes its odds, their value, and the commitments of today and tomorrow', async () => {
    const { status, body } = await get('/api/lootbox')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ok: true,
      price: LOOTBOX.price,
      pool: POOL_ADDRESS,
      prizes: [{ bps: 4_000, chance: 0.4, prize: '5000000000000000000', label: 'Reward' }, {}, {}],
      expectedValue: {
        REWARD: '2000000000000000000',
        ETH: '4500000000000000',
        STK: '600000000000000000',
      },
      recentWins: [],
    })
    expect(body.seedHash).toMatch(/^[0-9a-f]{64}$/)
    const today = body.nextSeedHash
    pass(86_400_000)
    expect((await get('/api/lootbox')).body.seedHash).toBe(today)
  })

  it('asks its day and the history once a second, however many look', async () => {
    const looks = async () => {
      await get('/api/lootbox')
      await get('/api/lootbox?action=verify-seeds')
    }
    const fiveLooks = async () => {
      for (let call = 0; call < 5; call++) await looks()
    }
    await looks()
    expect((await costsOf(fiveLooks)).calls).toBe(0)
    pass(1_000)
    const once = (await costsOf(looks)).calls
    expect(once).toBeGreaterThan(0)
    pass(1_000)
    expect((await costsOf(fiveLooks)).calls).toBe(once)
  })

  it('asks nothing about the wallets that a network above its limit names', async () => {
    const history = vi.spyOn(env.HISTORY, 'prepare')
    const limit = vi.spyOn(env.READS, 'limit')
    limit.mockImplementation(async ({ key }) => ({ success: !key.startsWith('openings ') }))
    await get('/api/lootbox')
    history.mockClear()
    const looks = async () => {
      expect(codeOf(await get(`/api/lootbox?wallet=${alice.wallet}`))).toBe('rate_limited')
      expect((await get('/api/lootbox')).status).toBe(200)
    }
    expect((await costsOf(looks)).calls).toBe(0)
    expect(history).not.toHaveBeenCalled()
    expect(limit).toHaveBeenCalledWith({ key: 'openings unknown' })
  })

  it('asks its day about no wallet while there are no free spins', async () => {
    const today = lootboxDay(env, dateOf(now()))
    const hasSpun = async () => (await get(`/api/lootbox?wallet=${alice.wallet}`)).body.hasSpun
    await setVars(today, { LOOTBOX: { ...env.LOOTBOX, spinDailyLimit: 0 } })
    pass(1_000)
    await get('/api/lootbox')
    expect((await costsOf(hasSpun)).calls).toBe(0)
    expect(await hasSpun()).toBe(false)
    // The limit may have been lowered once free spins were taken.
    await setVars(today, { LOOTBOX })
    await today.takeSpin({ wallet: alice.wallet, author: 'alice', post: '1' })
    await setVars(today, { LOOTBOX: { ...env.LOOTBOX, spinDailyLimit: 0 } })
    pass(1_000)
    expect(await hasSpun()).toBe(true)
  })

  it('publishes the commitments of a new day from midnight', async () => {
    const { nextSeedHash } = (await get('/api/lootbox')).body
    setTime(Math.ceil(now() / 86_400_000) * 86_400_000 - 1)
    await get('/api/lootbox')
    pass(1)
    const { body } = await get('/api/lootbox')
    expect([body.day, body.seedHash]).toEqual([dateOf(now()), nextSeedHash])
  })

  it('publishes the price of a stock by its feed, and none that is a day old', async () => {
    pass(61_000)
    await setFeed(STOCK_PRICE)
    const { STK } = (await get('/api/lootbox')).body.prices
    expect(STK).toMatchObject({ weiPerUnit: String(STOCK_PRICE), feed: FEED_ADDRESS })
    const { timestamp } = await chain.getBlock()
    expect(STK.at).toBe(Number(timestamp) * 1000)
    await ask('evm_increaseTime', 86_402)
    await ask('evm_mine')
    pass(61_000)
    expect((await get('/api/lootbox')).body.prices).toEqual({})
  })

  it('pays a prize of its own token', async () => {
    const txHash = await pay()
    await rig(txHash, REWARD)
    const { status, body } = await open(txHash)
    expect(status).toBe(200)
    expect(body.open).toMatchObject({
      id: txHash,
      txHash,
      tier: REWARD,
      label: 'Reward',
      prize: '5000000000000000000',
      asset: 'REWARD',
      status: 'paying',
      prizeTxHash: null,
      seed: null,
    })
    await work(txHash)
    const paid = (await open(txHash)).body.open
    expect(paid).toMatchObject({ status: 'paid', prizeTxHash: expect.stringMatching(/^0x/) })
    expect(await holds(REWARD_TOKEN_ADDRESS)).toBe(parseEther('5'))
    const shown = (await get(`/api/lootbox?wallet=${alice.wallet}`)).body
    expect(shown.recentWins[0]).toMatchObject({ wallet: alice.wallet, tier: REWARD, txHash })
    expect(shown.openings[0]).toMatchObject({ txHash, status: 'paid' })
  })

  it("pays a prize in the chain's native coin", async () => {
    const txHash = await pay()
    await rig(txHash, COIN)
    const before = await chain.getBalance({ address: alice.account.address })
    await open(txHash)
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paid')
    const after = await chain.getBalance({ address: alice.account.address })
    expect(after - before).toBe(parseEther('0.015'))
  })

  it('buys a stock on the router and sends it directly to the winner', async () => {
    const txHash = await pay()
    await rig(txHash, STOCK)
    const before = await chain.getBalance({ address: POOL_ADDRESS })
    await open(txHash)
    await work(txHash)
    expect((await open(txHash)).body.open).toMatchObject({ status: 'paid', asset: 'STK' })
    expect(await holds(STOCK_ADDRESS)).toBe(parseEther('2'))
    const spent = before - (await chain.getBalance({ address: POOL_ADDRESS }))
    expect(spent).toBeGreaterThan(2n * STOCK_PRICE)
    expect(spent).toBeLessThan((2n * STOCK_PRICE * 103n) / 100n)
  })

  it('does not buy a stock above the independent price, and buys it once the price allows', async () => {
    await setFeed(STOCK_PRICE / 2n)
    const txHash = await pay()
    await rig(txHash, STOCK)
    await open(txHash)
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paying')
    expect(await holds(STOCK_ADDRESS)).toBe(0n)
    await setFeed(STOCK_PRICE)
    pass(15_000)
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paid')
    expect(await holds(STOCK_ADDRESS)).toBe(parseEther('2'))
  })

  it('shows a prize that the pool cannot pay, and pays it when the pool is funded', async () => {
    const txHash = await pay()
    await rig(txHash, COIN)
    const pool = { address: POOL_ADDRESS, abi: prizePoolAbi }
    const all = await chain.getBalance({ address: POOL_ADDRESS })
    await write(pool, 'withdraw', [zeroAddress, OWNER.address, all])
    await open(txHash)
    await work(txHash, 3)
    const owed = (await get(`/api/lootbox?wallet=${alice.wallet}`)).body.openings[0]
    expect(owed).toMatchObject({ txHash, status: 'paying', prizeTxHash: null })
    const [stuck] = (await lookAs('/stuck')).body.stuck
    expect(stuck).toMatchObject({ kind: 'prize', wallet: alice.wallet, asset: 'ETH', acts: [] })
    expect(stuck.cause).toContain('The pool refuses')
    await sweep(env)
    const { reserve } = (await lookAs()).body
    expect(reserve).toMatchObject({ poolWei: { ETH: '0', REWARD: String(parseEther('100')) } })
    await fundPool(parseEther('1'))
    pass(15_000)
    await work(txHash)
    expect((await lookAs('/stuck')).body.stuck).toEqual([])
    expect((await open(txHash)).body.open.status).toBe('paid')
  })

  it('opens once for ten simultaneous calls and pays once', async () => {
    const txHash = await pay()
    await rig(txHash, COIN)
    const before = await chain.getBalance({ address: alice.account.address })
    const answers = await Promise.all(Array.from({ length: 10 }, () => open(txHash)))
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toEqual(answers[0]?.body)
    }
    await work(txHash, 4)
    const after = await chain.getBalance({ address: alice.account.address })
    expect(after - before).toBe(parseEther('0.015'))
  })

  it.each([0, 1, 2, 3])('pays once despite a full restart after step %s', async (step) => {
    const txHash = await pay()
    await rig(txHash, STOCK)
    await open(txHash)
    const steps = [
      () => Promise.resolve(),
      () => runDurableObjectAlarm(payment(env, 31_337, txHash)),
      () => look(),
      () => look(),
    ]
    for (const one of steps.slice(0, step + 1)) {
      await one()
      pass(2_000)
    }
    await restart()
    await work(txHash, 3)
    await restart()
    await work(txHash, 3)
    expect((await open(txHash)).body.open.status).toBe('paid')
    expect(await holds(STOCK_ADDRESS)).toBe(parseEther('2'))
  })

  it('pays a prize once that its restored relayer had forgotten, within the hour', async () => {
    const txHash = await pay()
    await rig(txHash, COIN)
    const before = await chain.getBalance({ address: alice.account.address })
    await open(txHash)
    await runDurableObjectAlarm(payment(env, 31_337, txHash))
    await forgetOrders()
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paying')
    pass(3_600_000)
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paid')
    await forgetOrders()
    pass(3_600_000)
    await work(txHash)
    const after = await chain.getBalance({ address: alice.account.address })
    expect(after - before).toBe(parseEther('0.015'))
  })

  it('keeps one message about a prize that cannot be paid, and none once it is paid', async () => {
    const txHash = await pay()
    await rig(txHash, COIN)
    const pool = { address: POOL_ADDRESS, abi: prizePoolAbi }
    const all = await chain.getBalance({ address: POOL_ADDRESS })
    await write(pool, 'withdraw', [zeroAddress, OWNER.address, all])
    await open(txHash)
    const own = payment(env, 31_337, txHash)
    const waiting = () => rowsOf(own, 'SELECT kind FROM outbox')
    for (let hour = 0; hour < 3; hour++) {
      await work(txHash, 1)
      expect(await waiting()).toEqual([{ kind: 'prize' }])
      pass(3_600_000)
    }
    await fundPool(parseEther('1'))
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paid')
    expect(await waiting()).toEqual([])
    expect(await runDurableObjectAlarm(own)).toBe(false)
  })

  it('learns again that a prize is paid after its payment was restored', async () => {
    const txHash = await pay()
    await rig(txHash, COIN)
    await open(txHash)
    const own = payment(env, 31_337, txHash)
    const tables = ['opening', 'outbox']
    const rows = await Promise.all(tables.map((table) => rowsOf(own, `SELECT * FROM ${table}`)))
    await work(txHash)
    const paid = (await open(txHash)).body.open
    expect(paid.status).toBe('paid')
    await runInDurableObject(own, (_: unknown, { storage }) => {
      for (const [index, table] of tables.entries()) {
        storage.sql.exec(`DELETE FROM ${table}`)
        for (const row of rows[index] ?? []) {
          const values = Object.values(row)
          const places = values.map(() => '?').join()
          storage.sql.exec(`INSERT INTO ${table} VALUES (${places})`, ...values)
        }
      }
    })
    await restart()
    expect((await open(txHash)).body.open.status).toBe('paying')
    await work(txHash)
    expect((await open(txHash)).body.open).toEqual(paid)
  })

  it("discloses the day's seed after midnight, which proves the opening", async () => {
    const txHash = await pay()
    const seed = await rig(txHash, REWARD)
    const { open: opened } = (await open(txHash)).body
    const today = (await get('/api/lootbox?action=verify-seeds')).body.days[0]
    expect(today).toMatchObject({ seedHash: commitmentOf(seed), seed: null })
    pass(2 * 86_400_000)
    const disclosed = (await get('/api/lootbox?action=verify-seeds')).body.days.find(
      (day: { day: string }) => day.day === opened.day,
    )
    expect(disclosed).toMatchObject({ seed, seedHash: opened.seedHash })
    const roll = rollOf(disclosed.seed, paymentMessage(txHash, opened.blockHash))
    expect(Number(roll)).toBe(opened.roll)
    expect(tierOfRoll(roll, LOOTBOX.prizes)).toBe(opened.tier)
    expect((await open(txHash)).body.open.seed).toBe(seed)
  })
})

describe('the lootbox without its history', () => {
  it('still shows prices and prizes, opens and pays, and shows no recent wins', async () => {
    const txHash = await pay()
    await rig(txHash, REWARD)
    await env.HISTORY.exec('ALTER TABLE openings RENAME TO away')
    expect((await open(txHash)).status).toBe(200)
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paid')
    const { status, body } = await get(`/api/lootbox?wallet=${alice.wallet}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ price: LOOTBOX.price, recentWins: [], openings: [] })
    await env.HISTORY.exec('ALTER TABLE away RENAME TO openings')
    pass(300_000)
    await work(txHash, 0)
    const after = await get(`/api/lootbox?wallet=${alice.wallet}`)
    expect(after.body.openings).toMatchObject([{ id: txHash, status: 'paid' }])
  })

  it('recovers its openings with reproject', async () => {
    const txHash = await pay()
    await rig(txHash, REWARD)
    await open(txHash)
    await work(txHash)
    const before = await env.HISTORY.prepare('SELECT * FROM openings').all()
    expect(before.results).toHaveLength(1)
    await env.HISTORY.exec('DELETE FROM openings')
    const job = reprojection(env)
    await job.start('everything')
    while ((await job.progress()).finishedAt === null) await runDurableObjectAlarm(job)
    const after = await env.HISTORY.prepare('SELECT * FROM openings').all()
    expect(after.results).toEqual(before.results)
  })
})
