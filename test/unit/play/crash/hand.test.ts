import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me, OpenBet } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ORDER = { token: 'ETH' as const, amountWei: 100n, autoCashout: 200 }

let page: Awaited<ReturnType<typeof loadPage>>
let stored: Map<string, string>

async function loadPage() {
  const { session } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const hand = await import('../../../../src/play/crash/hand.ts')
  return { session, live, ...hand }
}

beforeEach(async () => {
  stored = inBrowser()
  vi.useFakeTimers({ now: 1_000_000 })
  page = await loadPage()
  page.session.patch({ player: { wallet: WALLET, authSig: '0x' } })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The table in round 7, as far as a hand looks at it. */
function tableWith(changes: Partial<TableState>): TableState {
  const bounds = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }
  const maxPayout = { ETH: '100000', USDG: '100000' }
  const round = { roundId: 7, seedHash: 'ab', pepperSource: { kind: 'drand-quicknet', round: 5 } }
  const times = { betsCloseAt: Date.now() + 5_000, flightAt: Date.now(), serverTime: Date.now() }
  const shown = {
    phase: 'flight',
    multiplier: 1,
    growthPerMs: 0.00006,
    crashPoint: null,
    msLeft: 0,
  }
  const told = { ...round, ...times, ...shown, betsRoot: null, betCount: null, ...changes }
  return { ...told, config: { bounds, maxPayout } } as Partial<TableState> as TableState
}

function meWith(chipsWei: string, openBet: OpenBet | null): Me {
  return { chips: { ETH: chipsWei, USDG: '0' }, openBet } as Partial<Me> as Me
}

/** Answers calls by their action. */
function serve(answers: Record<string, () => object>): void {
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const { action = 'state' } = body
      ? (JSON.parse(body) as { action?: string })
      : Object.fromEntries(new URLSearchParams(path.split('?')[1]))
    return Response.json(answers[action]?.() ?? fail('internal', `${action} isn’t served.`))
  })
}

describe('a bet on the page', () => {
  it('leaves what the table showed as evidence, even if its answer is a failure', async () => {
    serve({})
    page.session.patch({ me: meWith('1000', null) })
    await page.place(ORDER, tableWith({ phase: 'betting' }))
    const kept = JSON.parse(stored.get('fairhouse.seen.rounds') ?? '[]') as object[]
    expect(kept).toMatchObject([['7', { seedHash: 'ab', pepperSource: { round: 5 } }]])
  })
})
