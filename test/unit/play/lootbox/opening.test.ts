import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../../../src/core/utc-day.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../../../src/lootbox/prizes.ts'
import { fail, isFailure } from '../../../../src/play/api.ts'
import type { LootboxAnswer } from '../../../../src/play/lootbox/terms.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PAYMENT = `0x${'11'.repeat(32)}`
const BLOCK = `0x${'22'.repeat(32)}`
const [TODAY, TOMORROW, PAST] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
]
const LOW = { bps: 9_000, label: 'Low', prize: '1', asset: 'ETH' }
const HIGH = { bps: 1_000, label: 'High', prize: '9', asset: 'ETH' }
const TERMS = {
  pool: `0x${'5b'.repeat(20)}`,
  price: '5',
  prizes: [LOW, HIGH],
  spin: { prizes: [] },
  day: '2026-11-02',
  seedHash: commitmentOf(TODAY),
  nextSeedHash: commitmentOf(TOMORROW),
} as unknown as LootboxAnswer

const NOON = Date.parse('2026-11-02T12:00Z')

const pay = vi.fn(async () => PAYMENT)

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers({ now: NOON })
  pay.mockReset().mockResolvedValue(PAYMENT)
  vi.doMock('../../../../src/play/wallet/send.ts', () => ({ pay }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function openedWith(seed: string, day: string, txHash = PAYMENT, prizes = [LOW, HIGH]) {
  const roll = rollOf(seed, paymentMessage(txHash, BLOCK))
  const tier = tierOfRoll(roll, prizes)
  const { label, prize, asset } = prizes[tier]!
  const won = { tier, label, prize, asset, status: 'paid', odds: prizes.map(({ bps }) => bps) }
  const rolled = {
    txHash,
    blockHash: BLOCK,
    day,
    seed,
    seedHash: commitmentOf(seed),
    roll: Number(roll),
  }
  return { ok: true, open: { id: txHash, prizeTxHash: null, ...won, ...rolled } }
}

/** Pays and opens by the terms shown while the service answers so, and reads these terms. Returns the proof. */
async function proofOf(
  answer: object,
  isPaidHere = true,
  read: object = fail('internal', 'Not needed.'),
) {
  vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
    if (path.startsWith('/api/limits')) return Response.json({ ok: true, excluded: false })
    return Response.json(method === 'POST' ? answer : read)
  })
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
  const mayBeClock = failed.every(({ isByOwnClock }) => isByOwnClock === true)
  return { ...proof, mayBeClock, broken: failed.map(({ claim }) => claim) }
}

const NO_SEEDS = { ...TERMS, days: [] }
const OTHER_DAY = expect.stringContaining('its seed is of the day of your payment, sent at')

it.each([
  ['is excluded', { ok: true, excluded: true }, 'You have excluded yourself from play'],
  ['may be excluded', fail('rate_limited', 'Later.'), 'Later.'],
])(
  'no lootbox is paid for by a player who %s since the page read their limits',
  async (_, limits, problem) => {
    let told: object = { ok: true, excluded: false }
    vi.stubGlobal('fetch', async () => Response.json(told))
    const { session } = await import('../../../../src/play/session.ts')
    const { readProtection } = await import('../../../../src/play/limits/limits.ts')
    const { opening, payAndOpen } = await import('../../../../src/play/lootbox/opening.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    await readProtection()
    told = limits
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pay).not.toHaveBeenCalled()
    expect(opening.value.problem?.message).toContain(problem)
    session.patch({ credentials: null })
  },
)

it.each(['unreachable', 'rate_limited', 'chain_unavailable'] as const)(
  'no lootbox is paid for while the service answers %s about an earlier payment',
  async (code) => {
    vi.stubGlobal('fetch', async () => Response.json(fail(code, 'Later.')))
    const { session } = await import('../../../../src/play/session.ts')
    const { paid } = await import('../../../../src/play/lootbox/paid.ts')
    const { opening, payAndOpen } = await import('../../../../src/play/lootbox/opening.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    paid.write(WALLET, { txHashes: [PAYMENT] })
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pay).not.toHaveBeenCalled()
    expect(opening.value).toMatchObject({ step: 'idle', problem: { message: 'Later.' } })
    session.patch({ credentials: null })
  },
)

describe('a lootbox that its player cancels', () => {
  it.each([
    ['before the wallet is asked, is not paid for', 0, 0, 'idle'],
    ['while the wallet is asked, opens all the same if the wallet pays', 200, 1, 'done'],
  ])('%s', async (_what, cancelledAfterMs, payments, step) => {
    pay.mockImplementation(() => new Promise((r) => setTimeout(() => r(PAYMENT), 1_000)))
    vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (path.startsWith('/api/limits')) return Response.json({ ok: true, excluded: false })
      if (method !== 'POST') return Response.json(fail('internal', 'Not needed.'))
      return Response.json(openedWith(TODAY, TERMS.day))
    })
    const { session } = await import('../../../../src/play/session.ts')
    const { cancelOpening, opening, payAndOpen } =
      await import('../../../../src/play/lootbox/opening.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(cancelledAfterMs)
    cancelOpening()
    expect(opening.value).toMatchObject({ step: 'idle', problem: { code: 'wallet' } })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(pay).toHaveBeenCalledTimes(payments)
    expect(opening.value.step).toBe(step)
    session.patch({ credentials: null })
  })
})

describe('a payment that the chain does not have', () => {
  const REPLACEMENT = `0x${'33'.repeat(32)}`
  const unknown = fail('payment_mismatch', 'Unknown.', { reason: 'not_found' })
  /** The payments that the chain has. */
  let found: string[]
  /** The payments that the service was asked about. */
  let asked: string[]

  /** Presses the button of a wallet that has paid before, and lets the page wait in vain. */
  async function pressed() {
    found = []
    asked = []
    vi.stubGlobal('fetch', async (path: string, { method, body }: RequestInit) => {
      if (path.startsWith('/api/limits')) return Response.json({ ok: true, excluded: false })
      if (method !== 'POST') return Response.json(fail('internal', 'Not needed.'))
      const { txHash } = JSON.parse(body as string) as { txHash: string }
      asked.push(txHash)
      const isFound = found.includes(txHash)
      return Response.json(isFound ? openedWith(TODAY, '2026-11-02', txHash) : unknown)
    })
    const { session } = await import('../../../../src/play/session.ts')
    const page = await import('../../../../src/play/lootbox/opening.ts')
    const { paid, unopened } = await import('../../../../src/play/lootbox/paid.ts')
    session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
    paid.write(WALLET, { txHashes: [PAYMENT] })
    void page.payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(130_000)
    return { ...page, session, unopened: () => unopened(WALLET) }
  }

  it('is not paid again until the page has said that it is missing', async () => {
    const { payAndOpen, opening, missingPayment, session } = await pressed()
    expect(pay).not.toHaveBeenCalled()
    expect(missingPayment(opening.value)).toEqual({ txHash: PAYMENT })
    pay.mockResolvedValue(REPLACEMENT)
    found = [REPLACEMENT]
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pay).toHaveBeenCalledOnce()
    expect(opening.value).toMatchObject({ step: 'done', ticket: { txHash: REPLACEMENT } })
    session.patch({ credentials: null })
  })

  it('opens once it turns up, although the player agreed to pay again', async () => {
    const { payAndOpen, opening, session } = await pressed()
    found = [PAYMENT]
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pay).not.toHaveBeenCalled()
    expect(opening.value).toMatchObject({ step: 'done', ticket: { txHash: PAYMENT } })
    session.patch({ credentials: null })
  })

  it('is not waited for any more once the player has paid again', async () => {
    const { payAndOpen, opening, session, unopened } = await pressed()
    const third = `0x${'44'.repeat(32)}`
    found = [REPLACEMENT, third]
    for (const txHash of found) {
      pay.mockResolvedValue(txHash)
      void payAndOpen(TERMS)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(opening.value).toMatchObject({ step: 'done', ticket: { txHash } })
    }
    expect(unopened()).toEqual([PAYMENT])
    session.patch({ credentials: null })
  })

  it('is still asked about after the player has paid again, whenever the page is opened', async () => {
    const { payAndOpen, resumeOpening, opening, session } = await pressed()
    pay.mockResolvedValue(REPLACEMENT)
    found = [REPLACEMENT]
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    asked = []
    void resumeOpening()
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toEqual([PAYMENT])
    expect(opening.value.step).toBe('done')
    found = [PAYMENT]
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opening.value).toMatchObject({ step: 'done', ticket: { txHash: PAYMENT } })
    asked = []
    void resumeOpening()
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toEqual([])
    session.patch({ credentials: null })
  })

  it('is neither forgotten nor waited for once another one has opened', async () => {
    const { openWith, payAndOpen, opening, unopened, session } = await pressed()
    found = [REPLACEMENT]
    void openWith(REPLACEMENT)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opening.value.step).toBe('done')
    expect(unopened()).toEqual([PAYMENT])
    found = [PAYMENT]
    void payAndOpen(TERMS)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(pay).not.toHaveBeenCalled()
    expect(opening.value).toMatchObject({ step: 'done', ticket: { txHash: PAYMENT } })
    session.patch({ credentials: null })
  })
})

it('a prize that stays owed is asked about ever more rarely', async () => {
  const { open } = openedWith(TODAY, '2026-11-02')
  let asked = 0
  vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) => {
    if (method !== 'POST') return Response.json(fail('internal', 'Not needed.'))
    const isTooMany = asked++ % 2 === 1
    const owed = { ok: true, open: { ...open, status: 'paying' } }
    return Response.json(isTooMany ? fail('rate_limited', 'Later.') : owed)
  })
  const { session } = await import('../../../../src/play/session.ts')
  const { openWith } = await import('../../../../src/play/lootbox/opening.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  void openWith(PAYMENT)
  await vi.advanceTimersByTimeAsync(3_600_000)
  session.patch({ credentials: null })
  expect(asked).toBeLessThan(250)
})

describe('an opening on the page', () => {
  it.each([TODAY, TOMORROW])('verifies if it is rolled with a seed shown before', async (seed) => {
    const { broken, note } = await proofOf(openedWith(seed, '2026-11-02'))
    expect([broken, note]).toEqual([
      [],
      expect.stringMatching(/^The block is the one that this site/),
    ])
  })

  it('is caught if it is rolled with the seed of another day, even one never shown', async () => {
    const { broken } = await proofOf(openedWith(PAST, '2026-10-01'))
    expect(broken).toEqual([
      'its seed hash is one of the two, of that day and the next, shown when you paid',
      OTHER_DAY,
    ])
  })

  it.each([
    [
      'other odds',
      [
        { ...LOW, bps: 9_999 },
        { ...HIGH, bps: 1 },
      ],
    ],
    [
      'a smaller prize',
      [
        { ...LOW, prize: '0' },
        { ...HIGH, prize: '8' },
      ],
    ],
    ['a prize in another asset', [LOW, HIGH].map((each) => ({ ...each, asset: 'REWARD' }))],
  ])('is caught if it is rolled for %s than shown before', async (_what, prizes) => {
    const { broken } = await proofOf(openedWith(TODAY, '2026-11-02', PAYMENT, prizes))
    expect(broken).toEqual(['its odds and its prize are those shown when you paid'])
  })

  it('is caught for prizes never shown even before its seed is disclosed', async () => {
    const { open } = openedWith(TODAY, '2026-11-02', PAYMENT, [{ ...LOW, bps: 10_000, prize: '0' }])
    const { broken } = await proofOf({ ok: true, open: { ...open, seed: null } }, true, NO_SEEDS)
    expect(broken).toEqual(['its odds and its prize are those shown when you paid'])
  })

  it('is not called verified before its seed is disclosed', async () => {
    const { open } = openedWith(TODAY, '2026-11-02')
    const { checks } = await proofOf({ ok: true, open: { ...open, seed: null } }, true, NO_SEEDS)
    expect(checks).toEqual([])
  })

  it('is caught if it is rolled with the next day’s seed although it was paid hours before midnight', async () => {
    const { broken, mayBeClock } = await proofOf(openedWith(TOMORROW, '2026-11-03'))
    expect(broken).toEqual([OTHER_DAY])
    expect(mayBeClock).toBe(true)
  })

  it.each([
    ['2026-11-02T23:00:01Z', '2026-11-02', TODAY],
    ['2026-11-02T23:00:01Z', '2026-11-03', TOMORROW],
    ['2026-11-03T00:59:58Z', '2026-11-02', TODAY],
  ])(
    'verifies if it was paid close to midnight, at %s, with the seed of %s',
    async (at, day, seed) => {
      vi.setSystemTime(Date.parse(at))
      expect((await proofOf(openedWith(seed, day), true, TERMS)).broken).toEqual([])
    },
  )

  it('verifies if the wallet named the payment the morning after', async () => {
    pay.mockImplementation(async () => {
      vi.setSystemTime(NOON + DAY_MS)
      return PAYMENT
    })
    expect((await proofOf(openedWith(TODAY, '2026-11-02'))).broken).toEqual([])
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
      expect(pay).toHaveBeenCalledWith(TERMS.pool, 5n, expect.any(Function))
    })

    it.each([
      ['another price', { ...LATER, price: '6' }, 'have changed.'],
      ['other prizes', { ...LATER, prizes: [LOW] }, 'have changed.'],
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
