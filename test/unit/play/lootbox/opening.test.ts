import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { paymentMessage, rollOf } from '../../../../src/lootbox/prizes.ts'
import { fail, isFailure } from '../../../../src/play/api.ts'
import type { Protection } from '../../../../src/play/limits/words.ts'
import type { Terms } from '../../../../src/play/lootbox/terms.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PAYMENT = `0x${'11'.repeat(32)}`
const BLOCK = `0x${'22'.repeat(32)}`
const [TODAY, TOMORROW, PAST] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
]
const TERMS = {
  ...{ pool: `0x${'5b'.repeat(20)}`, price: '5', prizes: [], spin: { prizes: [] } },
  ...{ day: '2026-11-02', seedHash: commitmentOf(TODAY), nextSeedHash: commitmentOf(TOMORROW) },
} as unknown as Terms

const pay = vi.fn(async () => PAYMENT)

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers({ now: Date.parse('2026-11-02T12:00Z') })
  pay.mockClear()
  vi.doMock('../../../../src/play/wallet/send.ts', () => ({ pay }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function openedWith(seed: string, day: string, txHash = PAYMENT) {
  const won = { tier: 0, label: 'Low', prize: '1', asset: 'ETH', status: 'paid', odds: [10_000] }
  const roll = Number(rollOf(seed, paymentMessage(txHash, BLOCK)))
  const rolled = { txHash, blockHash: BLOCK, day, seed, seedHash: commitmentOf(seed), roll }
  return { ok: true, open: { id: txHash, prizeTxHash: null, ...won, ...rolled } }
}

/** Pays and opens by the terms shown while the service answers so, and reads these terms. Returns the proof. */
async function proofOf(
  answer: object,
  isPaidHere = true,
  read: object = fail('internal', 'Not needed.'),
) {
  vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) =>
    Response.json(method === 'POST' ? answer : read),
  )
  const { session } = await import('../../../../src/play/session.ts')
  const { payAndOpen, openWith } = await import('../../../../src/play/lootbox/opening.ts')
  const { proveOpening } = await import('../../../../src/play/verify/opening.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  void (isPaidHere ? payAndOpen(TERMS) : openWith(PAYMENT))
  await vi.advanceTimersByTimeAsync(1_000)
  session.patch({ credentials: null })
  await vi.advanceTimersByTimeAsync(1_000)
  const proof = await proveOpening(PAYMENT)
  if (isFailure(proof)) throw new Error(proof.error.message)
  const failed = proof.checks.filter(({ holds }) => !holds)
  return { note: proof.note, broken: failed.map(({ claim }) => claim) }
}

it('no lootbox is paid for by a player who is excluded', async () => {
  const { session } = await import('../../../../src/play/session.ts')
  const { protecting } = await import('../../../../src/play/limits/limits.ts')
  const { opening, payAndOpen } = await import('../../../../src/play/lootbox/opening.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  protecting.patch({ protection: { excluded: true } as Protection })
  await payAndOpen(TERMS)
  expect(pay).not.toHaveBeenCalled()
  expect(opening.value.problem?.message).toContain('You have excluded yourself from play')
})

describe('an opening on the page', () => {
  it.each([TODAY, TOMORROW])('verifies if it is rolled with a seed shown before', async (seed) => {
    expect(await proofOf(openedWith(seed, '2026-11-02'))).toEqual({ broken: [], note: undefined })
  })

  it('is caught if it is rolled with the seed of another day, even one never shown', async () => {
    const { broken } = await proofOf(openedWith(PAST, '2026-10-01'))
    expect(broken).toEqual([
      'its seed hash is one of the two, of that day and the next, shown when you paid',
    ])
  })

  it('is caught if it is that of another payment', async () => {
    const { broken } = await proofOf(openedWith(TODAY, '2026-11-02', `0x${'33'.repeat(32)}`))
    expect(broken).toContain(`it was rolled for your payment ${PAYMENT}`)
  })

  describe('on a page that slept for days', () => {
    const LATER = { ...TERMS, day: '2026-11-05', seedHash: commitmentOf(PAST) }
    beforeEach(() => void vi.setSystemTime(Date.parse('2026-11-05T00:00:01Z')))

    it('verifies by the seeds that are shown before its payment', async () => {
      const { broken } = await proofOf(openedWith(PAST, '2026-11-05'), true, LATER)
      expect(broken).toEqual([])
      expect(pay).toHaveBeenCalledWith(TERMS.pool, 5n)
    })

    it.each([
      ['another price', { ...LATER, price: '6' }, 'The price has changed.'],
      ['nothing', fail('internal', 'Try again.'), 'Try again.'],
    ])('is not paid for while the service answers with %s', async (_what, read, problem) => {
      const { opening } = await import('../../../../src/play/lootbox/opening.ts')
      await expect(proofOf(openedWith(PAST, '2026-11-05'), true, read)).rejects.toThrow()
      expect(pay).not.toHaveBeenCalled()
      expect(opening.value.problem?.message).toContain(problem)
    })
  })

  it('says what it cannot confirm if it was paid for elsewhere', async () => {
    const { broken, note } = await proofOf(openedWith(TODAY, '2026-11-02'), false)
    expect(broken).toEqual([])
    expect(note).toContain('Only the browser that paid')
  })
})
