import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RentalDraft } from '../../../src/play/ads/renting.ts'
import { fail } from '../../../src/play/api.ts'
import { inBrowser } from './in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SLOW = `0x${'11'.repeat(32)}`
const ENTERED = `0x${'33'.repeat(32)}`
const DRAFT: RentalDraft = {
  date: '2026-11-02',
  hours: 24,
  title: 't',
  imageUrl: 'i',
  linkUrl: 'l',
}
const TIER = { hours: 24, days: 1, label: 'A day', eth: '5' }
const unknown = fail('payment_mismatch', 'Unknown.', { reason: 'not_found' })

/** What the service answers about each payment. */
let answers: Record<string, object>

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
  answers = {}
  vi.stubGlobal('fetch', async (_path: string, { method, body }: RequestInit) => {
    if (method !== 'POST') return Response.json(fail('internal', 'Not needed.'))
    const { txHash } = JSON.parse(body as string) as { txHash: string }
    return Response.json(answers[txHash] ?? unknown)
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a rental', () => {
  const offered = {
    ok: true,
    tiers: [TIER],
    availableSlots: [{ date: DRAFT.date, available: true }],
    protocolWallet: '0x1',
  }
  const CHANGED = 'The price or the free days have changed. Press again.'

  /** Rents by the terms shown while the service answers with others. */
  async function rentedWhile(terms: object, meanwhile = () => {}) {
    const pay = vi.fn(async () => ENTERED)
    vi.doMock('../../../src/play/wallet/send.ts', () => ({ pay }))
    vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) => {
      meanwhile()
      return Response.json(method === 'POST' ? { ok: true, rental: {} } : terms)
    })
    const { session } = await import('../../../src/play/session.ts')
    const { renting, rentSlot } = await import('../../../src/play/ads/renting.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    await rentSlot(DRAFT, TIER, offered.protocolWallet)
    vi.doUnmock('../../../src/play/wallet/send.ts')
    return { pay, ...renting.value }
  }

  it('is paid for as shown if the terms still say so', async () => {
    const { pay, step } = await rentedWhile(offered)
    expect(step).toBe('done')
    expect(pay).toHaveBeenCalledExactlyOnceWith('0x1', 5n, expect.any(Function))
  })

  it.each([
    ['the price has changed', { tiers: [{ ...TIER, eth: '6' }] }, CHANGED],
    ['its length is no longer offered', { tiers: [] }, CHANGED],
    ['another wallet is to be paid', { protocolWallet: '0x2' }, CHANGED],
    [
      'its day has been taken',
      { availableSlots: [{ date: DRAFT.date, available: false }] },
      CHANGED,
    ],
    ['the terms cannot be read', fail('internal', 'Later.'), 'Later.'],
  ])('is not paid for if %s', async (_what, changes, message) => {
    const { pay, step, problem } = await rentedWhile({ ...offered, ...changes })
    expect(pay).not.toHaveBeenCalled()
    expect([step, problem?.message]).toEqual(['idle', message])
  })

  it('is not paid for by another player who signs in meanwhile', async () => {
    const { session } = await import('../../../src/play/session.ts')
    const signIn = () => session.patch({ credentials: { wallet: '0x2', authSig: '0x' } })
    expect((await rentedWhile(offered, signIn)).pay).not.toHaveBeenCalled()
  })
})

describe('a payment for the advertising slot that the chain does not have', () => {
  /** Enters another payment after the page has waited in vain, and rents. */
  async function entered() {
    const { session } = await import('../../../src/play/session.ts')
    const { Unfinished } = await import('../../../src/play/unfinished.ts')
    const { renting, rentalJob, rentSlot, usePayment } =
      await import('../../../src/play/ads/renting.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    const kept = new Unfinished<object>('ad-payment')
    kept.write(WALLET, { txHash: SLOW, order: DRAFT })
    void rentalJob.resume()
    await vi.advanceTimersByTimeAsync(130_000)
    usePayment(ENTERED)
    void rentSlot(DRAFT, TIER, '0x')
    await vi.advanceTimersByTimeAsync(1_000)
    const shown = { step: renting.value.step, kept: kept.read(WALLET) }
    session.patch({ credentials: null })
    await vi.advanceTimersByTimeAsync(60_000)
    return shown
  }

  it('is kept while the one entered instead of it has not rented', async () => {
    const { step, kept } = await entered()
    expect(step).toBe('waiting')
    expect(kept).toMatchObject({ txHash: ENTERED, insteadOf: SLOW })
  })

  it('is forgotten once the one entered instead of it has rented', async () => {
    answers[ENTERED] = { ok: true, rental: {} }
    expect(await entered()).toEqual({ step: 'done', kept: null })
  })

  it.each([
    ['is unknown', unknown],
    ['was used before', fail('payment_used', 'Used.')],
  ])('rents once it turns up if the one entered instead of it %s', async (_what, answer) => {
    answers[ENTERED] = answer
    // The page has waited in vain by then.
    setTimeout(() => (answers[SLOW] = { ok: true, rental: {} }), 130_000)
    expect((await entered()).step).toBe('done')
  })
})

describe('a payment for the advertising slot that the service refuses', () => {
  const pay = vi.fn(async () => SLOW)
  const refused = (reason: string) => fail('payment_mismatch', 'No.', { reason })
  const OFFERED = {
    ok: true,
    tiers: [TIER],
    availableSlots: [{ date: DRAFT.date, available: true }],
    protocolWallet: '0x',
  }

  async function openPage() {
    const { session } = await import('../../../src/play/session.ts')
    const page = await import('../../../src/play/ads/renting.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    return page
  }

  beforeEach(() => {
    pay.mockClear()
    vi.doMock('../../../src/play/wallet/send.ts', () => ({ pay }))
    const { fetch: answer } = globalThis
    vi.stubGlobal('fetch', (path: string, request: RequestInit) =>
      request.method === 'POST' ? answer(path, request) : Promise.resolve(Response.json(OFFERED)),
    )
  })
  afterEach(() => {
    vi.doUnmock('../../../src/play/wallet/send.ts')
  })

  it.each([
    'too_old',
    'failed',
    'wrong_chain',
    'wrong_sender',
    'wrong_recipient',
    'not_a_plain_transfer',
    'underpaid',
    'overpaid',
    'not_found',
  ])('can be forgotten (%s), and the next rental makes a new payment', async (reason) => {
    answers[ENTERED] = refused(reason)
    answers[SLOW] = { ok: true, rental: {} }
    const { renting, rentSlot, usePayment, isRefused, forgetPayment } = await openPage()
    usePayment(ENTERED)
    void rentSlot(DRAFT, TIER, '0x')
    await vi.advanceTimersByTimeAsync(130_000)
    expect(isRefused(renting.value)).toBe(true)
    expect(pay).not.toHaveBeenCalled()
    forgetPayment()
    void rentSlot(DRAFT, TIER, '0x')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pay).toHaveBeenCalledOnce()
    expect(renting.value.step).toBe('done')
  })

  it('stays forgotten after a reload', async () => {
    answers[ENTERED] = refused('too_old')
    const { rentSlot, usePayment, forgetPayment } = await openPage()
    const { payments } = await import('../../../src/play/ads/paid.ts')
    usePayment(ENTERED)
    await rentSlot(DRAFT, TIER, '0x')
    expect(payments.read(WALLET)).toMatchObject({ txHash: ENTERED })
    forgetPayment()
    expect(payments.read(WALLET)).toBeNull()
  })

  it('gives way to the one that it was entered instead of', async () => {
    answers[SLOW] = refused('underpaid')
    answers[ENTERED] = refused('wrong_sender')
    const { renting, rentSlot, usePayment, forgetPayment, unspentPayment } = await openPage()
    usePayment(SLOW)
    await rentSlot(DRAFT, TIER, '0x')
    usePayment(ENTERED)
    await rentSlot(DRAFT, TIER, '0x')
    forgetPayment()
    expect(unspentPayment(renting.value)).toEqual({ txHash: SLOW, order: null })
  })

  it('is not offered to be forgotten while it is good and only its day is taken', async () => {
    answers[ENTERED] = fail('slot_taken', 'Taken.')
    const { renting, rentSlot, usePayment, isRefused } = await openPage()
    usePayment(ENTERED)
    await rentSlot(DRAFT, TIER, '0x')
    expect(renting.value).toMatchObject({ step: 'idle', problem: { code: 'slot_taken' } })
    expect(isRefused(renting.value)).toBe(false)
  })
})

it('rents with a kept payment whatever view is shown', async () => {
  answers[SLOW] = { ok: true, rental: {} }
  const { session } = await import('../../../src/play/session.ts')
  const { Unfinished } = await import('../../../src/play/unfinished.ts')
  const { resumePaid } = await import('../../../src/play/resume-paid.ts')
  const kept = new Unfinished<object>('ad-payment')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  kept.write(WALLET, { txHash: SLOW, order: DRAFT })
  await resumePaid(WALLET)
  expect(kept.read(WALLET)).toBeNull()
})
