import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { LootboxDay } from '../../durable-objects/lootbox-day.ts'
import { app } from '../../src/app.ts'
import { lootboxDay, payment } from '../../src/calls/objects.ts'
import { NO_OFFER } from '../../src/lootbox/offer.ts'
import { answerOf, now, outcomeOf, pass, Player, rowsOf, setTime } from '../workers/support.ts'
import { day, PROTOCOL_WALLET } from './ads.ts'
import { COIN, payPool, rig, useLootbox, work } from './lootbox.ts'
import { expectMismatch, transfer } from './payments.ts'
import { ask, chain, setVars, theRelayer, useChain } from './support.ts'

useChain()
useLootbox()

const alice = new Player(0)
const OFF = { LOOTBOX_POOL: '' }

/** Gives a payment, its day and the relayer a configuration without the lootbox. */
async function switchOff(txHash: Hex, date = day(0)): Promise<void> {
  await setVars(payment(env, 31_337, txHash), OFF)
  await setVars(lootboxDay(env, date), OFF)
  await setVars(theRelayer(), OFF)
}

/** Opens at a worker without the lootbox. */
async function open(txHash: Hex) {
  const body = JSON.stringify({ action: 'open', wallet: alice.wallet, txHash })
  const headers = { 'content-type': 'application/json' }
  const call = { method: 'POST', headers, body }
  const path = '/api/lootbox'
  const response = await app.request(`http://fairhouse.test${path}`, call, { ...env, ...OFF })
  return answerOf(path, call, response)
}

describe('a lootbox that is switched off by configuration', () => {
  it('opens for a payment made before, and pays its prize in ETH', async () => {
    const txHash = await payPool(alice)
    await rig(txHash, COIN)
    await switchOff(txHash)
    const before = await chain.getBalance({ address: alice.account.address })
    const { status, body } = await open(txHash)
    expect([status, body.open]).toMatchObject([200, { txHash, tier: COIN, status: 'paying' }])
    await work(txHash)
    expect((await open(txHash)).body.open.status).toBe('paid')
    const after = await chain.getBalance({ address: alice.account.address })
    expect(after - before).toBe(BigInt(body.open.prize))
  })

  it.each([
    ['on the same day', () => now() + 2 * 3_600_000],
    ['on a day that was only committed to ahead', () => Date.parse(day(1)) + 3_600_000],
  ])('does not open for a payment made hours later, %s', async (_, later) => {
    const inTime = await payPool(alice)
    await switchOff(inTime)
    setTime(later())
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1_000))
    const late = await payPool(alice)
    await switchOff(late)
    expect(outcomeOf(await open(late))).toEqual([503, 'not_configured'])
    expect((await open(inTime)).status).toBe(200)
  })

  it('refuses other payments of that day by their reason', async () => {
    const other = await transfer(alice, { to: PROTOCOL_WALLET, value: 1n })
    await switchOff(other)
    await expectMismatch(open(other), 'wrong_recipient')
    const unseen: Hex = `0x${'7'.repeat(64)}`
    await switchOff(unseen)
    await expectMismatch(open(unseen), 'not_found')
  })
})

describe('a payment that waits for its confirmations', () => {
  it('waits on while the lootbox is switched off', async () => {
    const txHash = await payPool(alice)
    const waiting = payment(env, 31_337, txHash)
    await setVars(waiting, { CHAIN_CONFIRMATIONS: '3' })
    expect(await waiting.open(alice.wallet)).toMatchObject({ status: 'pending' })
    vi.spyOn(LootboxDay.prototype, 'offerFor').mockResolvedValueOnce(NO_OFFER)
    pass(60_000)
    await runDurableObjectAlarm(waiting)
    expect(await rowsOf(waiting, 'SELECT kind FROM outbox')).toEqual([{ kind: 'open' }])
  })

  it('is given up once it is too old, even if the opening fails', async () => {
    const txHash = await payPool(alice)
    const waiting = payment(env, 31_337, txHash)
    await setVars(waiting, { CHAIN_CONFIRMATIONS: '3' })
    expect(await waiting.open(alice.wallet)).toMatchObject({ status: 'pending' })
    pass(86_400_000 + 1_000)
    vi.spyOn(LootboxDay.prototype, 'offerFor').mockRejectedValue(new Error('broken off'))
    await runDurableObjectAlarm(waiting)
    expect(await rowsOf(waiting, 'SELECT kind FROM outbox')).toEqual([])
  })
})
