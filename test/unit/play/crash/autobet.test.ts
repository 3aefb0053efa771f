import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Plan } from '../../../../src/play/autobet/rules.ts'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PLAN: Plan<{ autoCashout: number; terms: string }> = {
  choice: { autoCashout: 200, terms: 'aa 100' },
  token: 'ETH',
  amountWei: '100',
  count: null,
  onWin: { kind: 'keep' },
  onLoss: { kind: 'keep' },
  stopProfitWei: null,
  stopLossWei: null,
  pauseMs: 0,
}

/** A round that takes bets for the next 8 seconds, at an edge and under terms that are in force. */
function bettingIn(roundId: number, { edgeBps = 100, hash = 'aa' } = {}): TableState {
  const bounds = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }
  const config = { bounds, terms: { hash, autoplay: true, minPlayMs: 0 } }
  const betsCloseAt = Date.now() + 8_000
  return { roundId, phase: 'betting', betsCloseAt, edgeBps, config } as object as TableState
}

let page: Awaited<ReturnType<typeof started>>
/** The bets sent, by round. */
let sent: number[]
/** What the service answers a bet with. */
let code: string

/** Starts a run in round 7. */
async function started() {
  const { session } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const { autobet } = await import('../../../../src/play/crash/autobet.ts')
  const me = { chips: { ETH: '1000', USDG: '0' }, openBet: null } as Partial<Me> as Me
  session.patch({ player: { wallet: WALLET, authSig: '0x' }, me })
  live.patch({ table: bettingIn(7) })
  const hide = autobet.show(WALLET)
  void autobet.start(PLAN)
  return { live, autobet, hide }
}

beforeEach(async () => {
  inBrowser()
  vi.useFakeTimers({ now: 1_000_000 })
  vi.stubGlobal('navigator', {})
  sent = []
  vi.stubGlobal('fetch', async (_path: string, { body }: { body?: string } = {}) => {
    if (!body) return Response.json({ ok: false, error: { code: 'not_found', message: '' } })
    sent.push((JSON.parse(body) as { roundId: number }).roundId)
    return Response.json({ ok: false, error: { code, message: '' } })
  })
})

afterEach(() => {
  page.hide()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const endOfRun = () => page.autobet.run.value?.end

describe('automatic bets of crash', () => {
  it('go on after a full round, in which they bet once', async () => {
    code = 'payout_limit'
    page = await started()
    await vi.advanceTimersByTimeAsync(7_000)
    expect([sent, endOfRun()]).toEqual([[7], null])
    page.live.patch({ table: bettingIn(8) })
    await vi.advanceTimersByTimeAsync(2_000)
    expect([sent, endOfRun()]).toEqual([[7, 8], null])
  })

  it('bet again in a full round with a smaller stake, in a run of their own', async () => {
    code = 'payout_limit'
    page = await started()
    await vi.advanceTimersByTimeAsync(1_000)
    page.autobet.stop()
    for (const amountWei of ['100', '99']) {
      void page.autobet.start({ ...PLAN, amountWei })
      await vi.advanceTimersByTimeAsync(1_000)
      page.autobet.stop()
    }
    expect(sent).toEqual([7, 7])
  })

  it('are repeated every few seconds while the round takes no bets yet', async () => {
    code = 'betting_closed'
    page = await started()
    await vi.advanceTimersByTimeAsync(7_900)
    expect([sent, endOfRun()]).toEqual([[7, 7, 7], null])
  })

  it.each([
    ['edge', { edgeBps: 5_000 }],
    ['terms of play', { hash: 'bb' }],
  ])('end before a bet under another %s', async (_, changed) => {
    code = 'payout_limit'
    page = await started()
    await vi.advanceTimersByTimeAsync(7_000)
    page.live.patch({ table: bettingIn(8, changed) })
    await vi.advanceTimersByTimeAsync(7_000)
    expect([sent, endOfRun()]).toEqual([[7], { reason: 'refused', code: 'terms_changed' }])
  })
})
