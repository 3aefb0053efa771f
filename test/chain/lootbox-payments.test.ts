import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { keccak256, type Hex } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LootboxDay } from '../../durable-objects/lootbox-day.ts'
import { lootboxDay, payment } from '../../src/calls/objects.ts'
import type { ChainConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import {
  get,
  isBlankObject,
  now,
  pass,
  Player,
  restart,
  rowsOf,
  setTime,
} from '../workers/support.ts'
import { LOOTBOX, POOL_ADDRESS } from './accounts.ts'
import { day, pay, rent } from './ads.ts'
import { open, payPool } from './lootbox.ts'
import { expectMismatch, nodeLacks } from './payments.ts'
import { ask, chain, nodeFails, setVars, useChain } from './support.ts'

useChain()

const [alice, bob] = [new Player(0), new Player(1)]
const PRICE = BigInt(LOOTBOX.price)

const chains = new Set<ChainConfig>()
/** Requires three confirmations of a payment. The configured number is one. */
const needsThree = (txHash: Hex) =>
  runInDurableObject(payment(env, 31_337, txHash), (object) => {
    const config = loadConfig((object as unknown as { env: Env }).env)
    if (!config.chain) throw new Error('the chain stories have a chain')
    config.chain.confirmations = 3
    chains.add(config.chain)
  })
afterEach(() => chains.forEach((config) => (config.confirmations = 1)))

/** Lets the alarm look at the payment again. */
const ring = async (txHash: Hex, afterMs = 30_000) => {
  pass(afterMs)
  await runDurableObjectAlarm(payment(env, 31_337, txHash))
}
const isWaiting = async (txHash: Hex) => {
  const sql = `SELECT 1 FROM outbox WHERE kind = 'open'`
  return (await rowsOf(payment(env, 31_337, txHash), sql)).length > 0
}

describe('a payment for the lootbox', () => {
  it('is refused if another wallet made it, whether or not it was opened', async () => {
    const txHash = await payPool(alice)
    await expectMismatch(open(txHash, bob), 'wrong_sender')
    expect((await open(txHash)).status).toBe(200)
    await expectMismatch(open(txHash, bob), 'wrong_sender')
  })

  it('is refused if it was signed for another chain', async () => {
    const nonce = await chain.getTransactionCount({ address: alice.account.address })
    const signed = await alice.account.signTransaction({
      type: 'eip1559',
      chainId: 1,
      nonce,
      gas: 100_000n,
      maxFeePerGas: 10n ** 12n,
      to: POOL_ADDRESS,
      value: PRICE,
    })
    await expect(chain.sendRawTransaction({ serializedTransaction: signed })).rejects.toThrow()
    await expectMismatch(open(keccak256(signed)), 'not_found')
  })

  it('is refused if it has paid for an ad, and pays for no ad once it was opened', async () => {
    const rented = await pay(alice)
    await expectMismatch(open(rented), 'wrong_recipient')
    expect((await rent(alice, rented)).status).toBe(200)
    const opened = await payPool(alice)
    await expectMismatch(rent(alice, opened), 'wrong_recipient')
    expect((await open(opened)).status).toBe(200)
    for (const { status, body } of [await open(rented), await rent(alice, opened)]) {
      expect([status, body.error.code]).toEqual([409, 'payment_used'])
    }
  })
})

describe('a payment for the lootbox that still needs confirmations', () => {
  const pending = (confirmations: number) => [
    202,
    { ok: true, status: 'pending', confirmations, required: 3 },
  ]
  const answerOf = async (txHash: Hex) => {
    const { status, body } = await open(txHash)
    return [status, body]
  }

  it('opens with its last confirmation and stores nothing before it is mined', async () => {
    await chain.setAutomine(false)
    const txHash = await payPool(alice)
    await needsThree(txHash)
    for (const confirmations of [0, 1, 2]) {
      expect(await answerOf(txHash)).toEqual(pending(confirmations))
      expect(await isBlankObject(payment(env, 31_337, txHash))).toBe(confirmations === 0)
      await chain.mine({ blocks: 1 })
    }
    expect((await open(txHash)).body.open).toMatchObject({ txHash, status: 'paying' })
  })

  it('opens by itself once its player has asked, even if nobody comes back for days', async () => {
    const txHash = await payPool(alice)
    await needsThree(txHash)
    expect(await answerOf(txHash)).toEqual(pending(1))
    expect(await answerOf(txHash)).toEqual(pending(1))
    await ring(txHash)
    await chain.mine({ blocks: 2 })
    await ring(txHash)
    const openedAt = now()
    await ring(txHash)
    pass(3 * 86_400_000)
    await restart()
    const { body } = await open(txHash)
    expect(body.open).toMatchObject({ txHash, day: day(-3) })
    const sql = 'SELECT kind FROM outbox UNION ALL SELECT opening FROM opening'
    const rows = JSON.stringify(await rowsOf(payment(env, 31_337, txHash), sql))
    expect(rows).toContain(String(openedAt))
    expect(rows).not.toContain('"open"')
  })

  it('opens once the chain can be read again', async () => {
    const txHash = await payPool(alice)
    await needsThree(txHash)
    expect(await answerOf(txHash)).toEqual(pending(1))
    await chain.mine({ blocks: 2 })
    nodeFails((body) => body.includes('eth_getTransactionReceipt'), 'before')
    vi.spyOn(console, 'error').mockImplementation(() => {})
    for (let hour = 0; hour < 2; hour++) await ring(txHash, 3_600_000)
    vi.restoreAllMocks()
    await ring(txHash)
    expect(await isWaiting(txHash)).toBe(false)
    expect((await open(txHash)).body.open).toMatchObject({ txHash })
  })

  it('is looked for until it is too old if the chain has dropped it', async () => {
    const snapshot = await chain.snapshot()
    const txHash = await payPool(alice)
    await needsThree(txHash)
    expect(await answerOf(txHash)).toEqual(pending(1))
    await chain.revert({ id: snapshot })
    await ring(txHash)
    await ring(txHash, 300_000)
    expect(await isWaiting(txHash)).toBe(true)
    await ring(txHash, 86_400_000)
    expect(await isWaiting(txHash)).toBe(false)
  })

  it('is refused if a reorg removes it meanwhile, and belongs to its new block if mined again', async () => {
    const snapshot = await chain.snapshot()
    const nonce = await chain.getTransactionCount({ address: alice.account.address })
    const txHash = await payPool(alice, { nonce })
    await needsThree(txHash)
    const first = await chain.getTransactionReceipt({ hash: txHash })
    await chain.mine({ blocks: 1 })
    expect(await answerOf(txHash)).toEqual(pending(2))
    const raw = await ask('eth_getRawTransactionByHash', txHash)
    await chain.revert({ id: snapshot })
    await expectMismatch(open(txHash), 'not_found')
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
    await chain.mine({ blocks: 1 })
    await chain.sendRawTransaction({ serializedTransaction: raw as Hex })
    expect(await answerOf(txHash)).toEqual(pending(1))
    await chain.mine({ blocks: 2 })
    const { blockHash } = await chain.getTransactionReceipt({ hash: txHash })
    expect(blockHash).not.toBe(first.blockHash)
    expect((await open(txHash)).body.open.blockHash).toBe(blockHash)
  })

  it('is rolled for once: its opening leaves no order to roll', async () => {
    const txHash = await payPool(alice)
    expect((await open(txHash)).status).toBe(200)
    expect(await rowsOf(payment(env, 31_337, txHash), 'SELECT kind FROM outbox')).toEqual([
      { kind: 'prize' },
      { kind: 'project' },
    ])
  })

  it('keeps its opening if a reorg removes it afterwards', async () => {
    const snapshot = await chain.snapshot()
    const txHash = await payPool(alice)
    const { body } = await open(txHash)
    await chain.revert({ id: snapshot })
    expect((await open(txHash)).body).toEqual(body)
    await restart()
    expect((await open(txHash)).body).toEqual(body)
  })

  it("is rolled with the seed of its block's day, on whatever day it is opened", async () => {
    const txHash = await payPool(alice)
    pass(86_400_000)
    const { open: opened } = (await open(txHash)).body
    expect(opened.day).toBe(day(-1))
    expect(opened.seed).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('a payment for a lootbox whose price has changed', () => {
  const EARLIER = {
    pool: POOL_ADDRESS,
    price: '5000',
    prizes: [{ bps: 10_000, label: 'Earlier', asset: 'REWARD', amountWei: '7' }],
  }
  /** Replaces an earlier offer with today's in one minute. */
  const changesInAMinute = async () => {
    const today = lootboxDay(env, day(0))
    await today.commitment()
    await runInDurableObject(today, (_: unknown, { storage }) => {
      const since = now() + 60_000
      storage.sql.exec('UPDATE offers SET since = ?', since)
      storage.sql.exec('INSERT INTO offers VALUES (?, ?)', since - 120_000, JSON.stringify(EARLIER))
    })
  }
  const earlier = { value: BigInt(EARLIER.price) }

  it('gets the offer of the time it was made, even if opened later', async () => {
    await changesInAMinute()
    const [before, asked] = [await payPool(alice, earlier), await payPool(alice, earlier)]
    pass(60_000)
    const after = await payPool(alice)
    expect((await open(before)).body.open).toMatchObject({ label: 'Earlier', prize: '7' })
    expect((await open(after)).body.open.odds).toEqual(LOOTBOX.prizes.map(({ bps }) => bps))
    pass(3 * 3_600_000)
    expect((await open(asked)).body.open).toMatchObject({ label: 'Earlier', odds: [10_000] })
  })

  it('keeps its offer if its opening was interrupted and its block mined again', async () => {
    await changesInAMinute()
    const snapshot = await chain.snapshot()
    const txHash = await payPool(alice, earlier)
    const raw = await ask('eth_getRawTransactionByHash', txHash)
    vi.spyOn(LootboxDay.prototype, 'roll').mockRejectedValue(new Error('broken off'))
    expect((await open(txHash)).status).toBe(500)
    vi.restoreAllMocks()
    await chain.revert({ id: snapshot })
    pass(2 * 3_600_000)
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
    await ask('eth_sendRawTransaction', raw)
    expect((await open(txHash)).body).toMatchObject({ ok: true, open: { label: 'Earlier' } })
  })

  it('is rolled within minutes if its opening was interrupted and the player never returns', async () => {
    const txHash = await payPool(alice)
    vi.spyOn(LootboxDay.prototype, 'roll').mockRejectedValue(new Error('broken off'))
    expect((await open(txHash)).status).toBe(500)
    vi.restoreAllMocks()
    pass(10_000)
    await runDurableObjectAlarm(payment(env, 31_337, txHash))
    const rolledAt = now()
    pass(3 * 86_400_000)
    await restart()
    const { body } = await open(txHash)
    expect(body.open).toMatchObject({ txHash, day: day(-3) })
    expect(await rowsOf(payment(env, 31_337, txHash), 'SELECT opening FROM opening')).toEqual([
      { opening: expect.stringContaining(`"openedAt":${rolledAt}`) },
    ])
  })

  it('is accepted at the displayed price while workers and objects run different deployments', async () => {
    const { price, prizes } = EARLIER
    const today = lootboxDay(env, day(0))
    await setVars(today, { LOOTBOX: { ...env.LOOTBOX, price, prizes } })
    pass(1_000)
    const { body } = await get('/api/lootbox')
    expect(body.prizes).toMatchObject([{ label: 'Earlier', prize: '7', decimals: 18 }])
    const txHash = await payPool(alice, { value: BigInt(body.price) })
    await evictDurableObject(today)
    pass(120_000)
    expect((await open(txHash)).body).toMatchObject({ ok: true, open: { label: 'Earlier' } })
  })

  it('is accepted at the earlier price for another ten minutes', async () => {
    await changesInAMinute()
    pass(60_000 + 500_000)
    const inTime = await payPool(alice, earlier)
    pass(200_000)
    const late = await payPool(alice, earlier)
    expect((await open(inTime)).body.open.label).toBe('Earlier')
    await expectMismatch(open(late), 'underpaid')
  })

  it.each([
    ['is behind, and has not seen its block', 'eth_getTransactionReceipt'],
    ['lacks its block', 'eth_getBlockByNumber'],
  ])('opens although an outage has ended with a node that %s', async (_, method) => {
    await changesInAMinute()
    const txHash = await payPool(alice, earlier)
    await needsThree(txHash)
    expect((await open(txHash)).body).toMatchObject({ status: 'pending', confirmations: 1 })
    await chain.mine({ blocks: 2 })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    nodeFails((body) => body.includes('eth_getTransactionReceipt'), 'before')
    await ring(txHash, 900_000)
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    nodeLacks(method)
    await ring(txHash)
    expect((await open(txHash)).status).toBe(202)
    vi.restoreAllMocks()
    await ring(txHash)
    expect(await isWaiting(txHash)).toBe(false)
    expect((await open(txHash)).body.open).toMatchObject({ label: 'Earlier', prize: '7' })
  })

  it("is checked against today's price, and draws no seed, if the service was down on its day", async () => {
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
    const old = await payPool(alice, earlier)
    pass(2 * 86_400_000)
    await expectMismatch(open(old), 'underpaid')
    expect(await isBlankObject(lootboxDay(env, day(-2)))).toBe(true)
  })

  it.each([
    [
      'its object ran the old version until midnight, and that of the next day no longer',
      'earlier',
    ],
    ['its object ran the new version before midnight, and that of the next day not yet', 'new'],
  ])('is accepted just after the day on which it was shown: %s', async (_, shown) => {
    const { price, prizes } = EARLIER
    const before = { LOOTBOX: { ...env.LOOTBOX, price, prizes } }
    const [today, tomorrow] = [lootboxDay(env, day(0)), lootboxDay(env, day(1))]
    const midnight = Date.parse(day(1))
    await setVars(tomorrow, before)
    await tomorrow.commitment()
    if (shown === 'earlier') {
      await setVars(today, before)
      setTime(midnight - 3_600_000)
      await evictDurableObject(tomorrow)
      await tomorrow.commitment()
    }
    setTime(midnight - 5_000)
    const { body: offer } = await get('/api/lootbox')
    expect(offer.price).toBe(shown === 'earlier' ? price : LOOTBOX.price)
    setTime(midnight + 5_000)
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1_000))
    const txHash = await payPool(alice, { value: BigInt(offer.price) })
    setTime(midnight + 120_000)
    await evictDurableObject(tomorrow)
    await tomorrow.commitment()
    const { ok, open: opened } = (await open(txHash)).body
    expect([ok, opened.odds.length]).toEqual([true, offer.prizes.length])
  })
})
