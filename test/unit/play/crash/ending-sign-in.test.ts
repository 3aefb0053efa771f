import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TableState } from '../../../../src/play/crash/table.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ORDER = { amountWei: 100n, autoCashout: null }
const OPEN_BET = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null, placedAt: 1 }
const ME = { chips: { ETH: '1000', USDG: '0', FUN: '1000000' }, openBet: null }

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Opens the page of a wallet whose sign-in expires after this time. Returns what the page then sends. */
async function openWith(leftMs: number) {
  const stored = inBrowser()
  vi.useFakeTimers({ now: 1_000_000 })
  const expiresAt = Date.now() + leftMs
  const kept = { wallet: WALLET, authSig: '0x', kind: 'development', expiresAt }
  stored.set('fairhouse.session', JSON.stringify(kept))
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body).action)
    return Response.json({ ok: true, multiplier: 2, payout: '200', me: ME })
  })
  const { session } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const hand = await import('../../../../src/play/crash/hand.ts')
  session.patch({ me: ME as never })
  return { sent, session, live, ...hand }
}

function tableIn(phase: 'betting' | 'flight'): TableState {
  const limits = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }
  const round = { roundId: 7, phase, multiplier: 1, flightAt: Date.now(), growthPerMs: 0.00006 }
  return { ...round, betsCloseAt: Infinity, config: { bounds: limits } } as never
}

describe('a sign-in that is about to expire', () => {
  it.each([
    [299_999, []],
    [300_000, ['bet']],
  ])(
    'takes no new bet in its last five minutes: with %d ms left it sends %j',
    async (leftMs, expected) => {
      const page = await openWith(leftMs)
      await page.place({ ...ORDER, token: 'ETH' }, tableIn('betting'))
      expect(page.sent).toEqual(expected)
      const message = page.hand.value.problem?.message
      expect(message?.includes('sign out and sign in again') ?? false).toBe(expected.length === 0)
    },
  )

  it('takes a queued bet away, and says why, when its round opens', async () => {
    const page = await openWith(299_999)
    const queued = { ...ORDER, token: 'ETH' as const, roundId: 7, terms: '', at: Date.now() }
    page.hand.patch({ queued })
    await page.place(queued, tableIn('betting'))
    expect(page.hand.value.queued).toBeNull()
    expect(page.hand.value.problem?.message).toContain('sign out and sign in again')
  })

  it('still cashes a bet out', async () => {
    const page = await openWith(1_000)
    page.session.patch({ me: { ...ME, openBet: OPEN_BET } as never })
    page.live.patch({ table: tableIn('flight') })
    await page.cashOut()
    expect(page.sent).toEqual(['cashout'])
  })

  it('leaves bets of fun chips alone', async () => {
    const page = await openWith(1_000)
    page.session.patch({ player: { wallet: 'fun', authSig: '' } })
    await page.place({ ...ORDER, token: 'FUN', amountWei: 10_000n }, tableIn('betting'))
    expect(page.hand.value.problem?.message ?? '').not.toContain('sign in')
  })
})
