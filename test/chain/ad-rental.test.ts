import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { parseEther } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { payment } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { setModes } from '../workers/operator.ts'
import {
  get,
  isBlankObject,
  now,
  pass,
  Player,
  post,
  restart,
  outcomeOf,
  codeOf,
} from '../workers/support.ts'
import { day, pay, PRICE, PROTOCOL_WALLET, rent } from './ads.ts'
import { chain, useChain } from './support.ts'

useChain()

const [alice, bob] = [new Player(0), new Player(1)]

const available = async (date: string) => {
  const { body } = await get('/api/ad-rental')
  return body.availableSlots.find((slot: { date: string }) => slot.date === date).available
}

const ORDER = {
  wallet: bob.wallet,
  hours: 24,
  title: 'Play fair',
  imageUrl: 'https://cdn.example.com/banner.png',
  linkUrl: 'https://example.com/',
}
const DEARER = { days: 1, label: '24 hours', priceWei: (2n * PRICE).toString() }

describe('the advertising slot', () => {
  it('is free for thirty days at published prices', async () => {
    const { status, body } = await get('/api/ad-rental')
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, activeRental: null, protocolWallet: PROTOCOL_WALLET })
    expect(body.availableSlots).toHaveLength(30)
    expect(body.availableSlots[0]).toEqual({ date: day(0), available: true })
    expect(body.tiers[0]).toEqual({ hours: 24, days: 1, label: 'One day', eth: PRICE.toString() })
  })

  it('is rented for future days and shows the ad when they come', async () => {
    const txHash = await pay(alice, { value: parseEther('0.025') })
    const { status, body } = await rent(alice, txHash, { hours: 72, date: day(2) })
    expect(status).toBe(200)
    expect(body.rental).toEqual({
      id: txHash,
      wallet: alice.wallet,
      startsAt: Date.parse(day(2)),
      endsAt: Date.parse(day(5)),
      label: 'Three days',
      title: 'Play fair',
      imageUrl: 'https://cdn.example.com/banner.png',
      linkUrl: 'https://example.com/',
    })
    const taken = await Promise.all([1, 2, 3, 4, 5].map((ahead) => available(day(ahead))))
    expect(taken).toEqual([true, false, false, false, true])
    expect((await get('/api/ad-rental')).body.activeRental).toBeNull()
    const { startsAt, endsAt } = body.rental
    pass(startsAt - now())
    expect((await get('/api/ad-rental')).body.activeRental).toEqual(body.rental)
    pass(endsAt - now() - 1)
    expect((await get('/api/ad-rental')).body.activeRental).not.toBeNull()
    pass(1)
    expect((await get('/api/ad-rental')).body.activeRental).toBeNull()
  })

  it('is read from the database once a second, however many ask', async () => {
    await get('/api/ad-rental')
    const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), 'prepare')
    for (let call = 0; call < 5; call++) await get('/api/ad-rental')
    expect(prepare).not.toHaveBeenCalled()
    pass(1_000)
    await get('/api/ad-rental')
    expect(prepare).toHaveBeenCalledTimes(2)
  })

  it('shows an ad rented for today at once', async () => {
    const { body } = await rent(alice, await pay(alice), { date: day(0) })
    expect((await get('/api/ad-rental')).body.activeRental).toEqual(body.rental)
  })

  it('leaves out an ad that an operator has taken down, and keeps its days', async () => {
    const { body } = await rent(alice, await pay(alice), { date: day(0) })
    const shown = async () => (await get('/api/ad-rental')).body.activeRental
    expect(await shown()).toEqual(body.rental)
    await setModes(`ad:${body.rental.id}=closed`)
    expect(await shown()).toBeNull()
    expect(await available(day(0))).toBe(false)
    await setModes(`ad:${body.rental.id}=open`)
    expect(await shown()).toEqual(body.rental)
  })

  it('goes to one of two simultaneous renters, and the other can rent another day', async () => {
    const [first, second] = [await pay(alice), await pay(bob)]
    const answers = await Promise.all([rent(alice, first), rent(bob, second)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const [loser, hash] = answers[0]?.status === 409 ? [alice, first] : [bob, second]
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.error.code).toBe('slot_taken')
    pass(3 * 86_400_000)
    expect((await rent(loser, hash, { date: day(4) })).status).toBe(200)
  })

  it('is rented for all days of a rental or for none', async () => {
    await rent(alice, await pay(alice), { date: day(3) })
    const txHash = await pay(bob, { value: parseEther('0.025') })
    expect(codeOf(await rent(bob, txHash, { hours: 72, date: day(1) }))).toBe('slot_taken')
    expect(await available(day(1))).toBe(true)
    expect((await rent(bob, txHash, { hours: 72, date: day(4) })).status).toBe(200)
  })

  it('answers a repeated call identically, even after a restart, and rents once', async () => {
    const txHash = await pay(alice)
    const first = await rent(alice, txHash)
    const all = await Promise.all(Array.from({ length: 10 }, () => rent(alice, txHash)))
    for (const again of all) expect(again.body).toEqual(first.body)
    await restart()
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    expect((await rent(alice, txHash)).body).toEqual(first.body)
    vi.restoreAllMocks()
    expect(outcomeOf(await rent(alice, txHash, { date: day(9) }))).toEqual([409, 'payment_used'])
    expect(await available(day(9))).toBe(true)
  })

  it('is rented once per payment, even if many days are requested at the same time', async () => {
    const txHash = await pay(alice)
    const days = Array.from({ length: 10 }, (_, ahead) => day(ahead + 1))
    const answers = await Promise.all(days.map((date) => rent(alice, txHash, { date })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const taken = await Promise.all(days.map(available))
    expect(taken.filter((isFree) => !isFree)).toHaveLength(1)
  })

  it('recovers when an answer is lost after the days were taken', async () => {
    const txHash = await pay(alice)
    const batch = env.DB.batch.bind(env.DB)
    vi.spyOn(Object.getPrototypeOf(env.DB), 'batch').mockImplementationOnce((async (
      statements: D1PreparedStatement[],
    ) => {
      await batch(statements)
      throw new Error('lost')
    }) as never)
    const date = day(1)
    const lost = await rent(alice, txHash, { date })
    expect(lost.status).toBe(500)
    expect(await available(date)).toBe(false)
    // By then the day has passed, and the node is down. The database knows all the same.
    pass(3 * 86_400_000)
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    const again = await rent(alice, txHash, { date })
    expect([again.status, again.body.rental?.id]).toEqual([200, txHash])
    expect((await rent(alice, txHash, { date })).body).toEqual(again.body)
    vi.restoreAllMocks()
    expect(codeOf(await rent(alice, txHash, { date: day(4) }))).toBe('payment_used')
  })
})

describe('a payment for a date that another has taken', () => {
  it.each([
    ['costs more', DEARER, PROTOCOL_WALLET],
    ['are not for rent', null, PROTOCOL_WALLET],
    ['are paid to another wallet', DEARER, alice.wallet],
  ])('stays good for another date even if its hours now %s', async (_, tier, recipient) => {
    const [first, second] = [await pay(alice), await pay(bob)]
    expect((await rent(alice, first)).status).toBe(200)
    expect(codeOf(await rent(bob, second))).toBe('slot_taken')
    const again = (date: string) =>
      payment(env, 31_337, second).rent({ ...ORDER, date }, tier, recipient)
    expect(await again(day(1))).toMatchObject({ error: { code: 'slot_taken' } })
    expect(await again(day(2))).toMatchObject({ ok: true, rental: { wallet: bob.wallet } })
  })
})

describe('a payment for the advertising slot', () => {
  it('costs what it costs when it rents, even if an impossible date was ordered before', async () => {
    const txHash = await pay(alice)
    expect(codeOf(await rent(alice, txHash, { date: day(30) }))).toBe('invalid_request')
    const order = { ...ORDER, wallet: alice.wallet, date: day(1) }
    const answer = await payment(env, 31_337, txHash).rent(order, DEARER, PROTOCOL_WALLET)
    expect(answer).toMatchObject({ error: { code: 'payment_mismatch' } })
    expect(await isBlankObject(payment(env, 31_337, txHash))).toBe(true)
  })

  it('that was presented in time is not too old once it is confirmed', async () => {
    const txHash = await pay(alice)
    const config = await runInDurableObject(
      payment(env, 31_337, txHash),
      (object) => loadConfig((object as unknown as { env: Env }).env).chain!,
    )
    config.confirmations = 3
    expect((await rent(alice, txHash)).status).toBe(202)
    pass(25 * 3_600_000)
    await chain.mine({ blocks: 2 })
    const { status } = await rent(alice, txHash)
    config.confirmations = 1
    expect(status).toBe(200)
  })

  it('is not accepted until it is in a block', async () => {
    await chain.setAutomine(false)
    const txHash = await pay(alice)
    const { status, body } = await rent(alice, txHash)
    expect(status).toBe(202)
    expect(body).toEqual({ ok: true, status: 'pending', confirmations: 0, required: 1 })
    await chain.mine({ blocks: 1 })
    expect((await rent(alice, txHash)).status).toBe(200)
  })

  it('is not looked up if the request itself is invalid', async () => {
    const txHash = await pay(alice)
    const wrong = [{ hours: 25 }, { date: day(30) }, { date: day(-1) }, { title: '' }]
    for (const fields of wrong) expect((await rent(alice, txHash, fields)).status).toBe(400)
    expect(outcomeOf(await rent(alice, txHash, { wallet: bob.wallet }))).toEqual([
      401,
      'auth_invalid',
    ])
    expect(codeOf(await post('/api/ad-rental', { action: 'buy' }))).toBe('unknown_action')
    expect((await rent(alice, txHash)).status).toBe(200)
  })
})
