import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const BET = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null, placedAt: 1 }

let sounds: string[]

/** Returns a page whose player has a bet in flight. */
async function inFlight() {
  const { session } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const hand = await import('../../../../src/play/crash/hand.ts')
  const me = { chips: { ETH: '900', USDG: '0' }, openBet: BET } as Partial<Me> as Me
  session.patch({ player: { wallet: WALLET, authSig: '0x' }, me })
  live.patch({ table: { roundId: 7, phase: 'flight', multiplier: 1 } as TableState })
  return { session, live, ...hand, me }
}

beforeEach(() => {
  inBrowser()
  sounds = []
  vi.doMock('../../../../src/play/chime.ts', () => ({ chime: (kind: string) => sounds.push(kind) }))
})

afterEach(() => {
  vi.doUnmock('../../../../src/play/chime.ts')
  vi.unstubAllGlobals()
})

it.each([
  ['win', 1.01, '101'],
  ['loss', 1, '100'],
])('sounds like a %s at %fx', async (sound, multiplier, payout) => {
  const { cashOut, hand, me } = await inFlight()
  const paid = { ok: true, roundId: 7, multiplier, payout, me: { ...me, openBet: null } }
  vi.stubGlobal('fetch', async () => Response.json(paid))
  await cashOut()
  expect(hand.value.result).toMatchObject({ kind: 'won', amountWei: '100', payoutWei: payout })
  expect(sounds).toEqual([sound])
})

describe('a cash-out without a connection, or one of too many calls', () => {
  let page: Awaited<ReturnType<typeof inFlight>>
  let wallets: unknown[]
  let isOnline: boolean
  let isBusy: boolean

  beforeEach(async () => {
    vi.useFakeTimers({ now: 1_000_000 })
    wallets = []
    isOnline = false
    isBusy = false
    page = await inFlight()
    vi.stubGlobal('fetch', async (_path: string, { body }: { body?: string } = {}) => {
      if (!isOnline) throw new TypeError('The network is gone.')
      if (isBusy) return Response.json(fail('rate_limited', 'Later.'))
      if (body) wallets.push((JSON.parse(body) as { wallet: string }).wallet)
      const me = { ...page.me, openBet: null }
      return Response.json({ ok: true, roundId: 7, multiplier: 1.5, payout: '150', me })
    })
  })

  afterEach(() => void vi.useRealTimers())

  it('is sent when the connection returns, without another press', async () => {
    void page.cashOut()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(page.hand.value).toMatchObject({ pending: { kind: 'cashout' }, problem: null })
    isOnline = true
    await vi.advanceTimersByTimeAsync(1_000)
    expect(page.hand.value).toMatchObject({ pending: null, result: { kind: 'won' } })
    expect(wallets).toEqual([WALLET])
  })

  it('is sent again when too many calls had arrived at once', async () => {
    isOnline = true
    isBusy = true
    void page.cashOut()
    await vi.advanceTimersByTimeAsync(2_500)
    expect(page.hand.value).toMatchObject({ pending: { kind: 'cashout' }, problem: null })
    isBusy = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(page.hand.value).toMatchObject({ pending: null, result: { kind: 'won' } })
  })

  it('names no multiplier, and says that it may come too late', async () => {
    const { faceOf } = await import('../../../../src/play/crash/act-button.tsx')
    void page.cashOut()
    expect(faceOf('').label).toMatch(/^Cashing out at /)
    page.live.patch({ connection: 'lost' })
    expect(faceOf('')).toEqual({
      kind: 'wait',
      label: 'Cashing out once connected',
      note: 'Not connected: the press may come too late',
    })
  })

  it('is given up when the round has ended', async () => {
    void page.cashOut()
    await vi.advanceTimersByTimeAsync(5_000)
    page.live.patch({ table: { roundId: 7, phase: 'results' } as TableState })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(page.hand.value).toMatchObject({ pending: null, problem: { code: 'unreachable' } })
  })

  it('is not sent for another wallet that has signed in meanwhile', async () => {
    void page.cashOut()
    await vi.advanceTimersByTimeAsync(5_000)
    page.session.patch({ player: { wallet: OTHER, authSig: '0x' }, me: page.me })
    isOnline = true
    await vi.advanceTimersByTimeAsync(2_000)
    expect(wallets).toEqual([])
    expect(page.hand.value.pending).toBeNull()
  })
})
