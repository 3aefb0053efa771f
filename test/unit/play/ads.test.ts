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
const TIER = { hours: 24, label: 'A day', eth: '5' } as never
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
