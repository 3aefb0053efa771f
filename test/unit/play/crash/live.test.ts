import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const bounds = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }

/** A socket that a browser believes to be open, whatever happens to its network. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  static readonly all: FakeSocket[] = []
  readonly readyState = FakeSocket.OPEN
  readonly sent: string[] = []

  constructor() {
    super()
    FakeSocket.all.push(this)
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {}

  tell(message: object | string): void {
    const data = typeof message === 'string' ? message : JSON.stringify(message)
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

let page: Awaited<ReturnType<typeof loadPage>>
let events: EventTarget
let leave: () => void
let isReachable: boolean
let reads: number
let polls: number
/** What a poll finds. */
let polled: Partial<TableState>

async function loadPage() {
  const { session } = await import('../../../../src/play/session.ts')
  const { bets } = await import('../../../../src/play/crash/bets.ts')
  return { session, bets, ...(await import('../../../../src/play/crash/live.ts')) }
}

function tableIn(phase: TableState['phase']): TableState {
  const now = Date.now()
  const times = { serverTime: now, betsCloseAt: now, flightAt: now - 1_000, msLeft: 0 }
  const shown = { roundId: 7, seedHash: 'ab', phase, multiplier: 1, growthPerMs: 0.00006 }
  const lists = { history: [], recentWins: [] }
  return { ...shown, ...times, ...lists, config: { bounds } } as object as TableState
}

const newestSocket = () => FakeSocket.all.at(-1)!

beforeEach(async () => {
  inBrowser()
  vi.useFakeTimers({ now: 1_000_000 })
  events = new EventTarget()
  FakeSocket.all.length = 0
  isReachable = true
  reads = 0
  polls = 0
  polled = { phase: 'flight' }
  vi.stubGlobal('location', { hostname: 'play.test', href: 'https://play.test/' })
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('fetch', async (path: string) => {
    if (!isReachable) throw new TypeError('no network')
    if (path.includes('action=watch')) {
      polls++
      return Response.json({ ok: true, ...tableIn('flight'), ...polled })
    }
    if (path.includes('authSig')) reads++
    return Response.json(fail('internal', 'It isn’t served.'))
  })
  await open(64)
})

/** Opens the page, whose place among all viewers is one of 256. */
async function open(place: number): Promise<void> {
  const spy = vi.spyOn(crypto, 'getRandomValues')
  spy.mockImplementation((array) => Object.assign(array, { 0: place }))
  page = await loadPage()
  leave = page.follow()
  await vi.advanceTimersByTimeAsync(0)
  newestSocket().tell({ type: 'phase', ...tableIn('flight') })
}

async function reload(place: number): Promise<void> {
  leave()
  vi.resetModules()
  FakeSocket.all.length = 0
  await open(place)
}

afterEach(() => {
  leave()
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a connection that goes silent in flight', () => {
  it('is pinged, and stays while the service answers', async () => {
    const socket = newestSocket()
    for (let times = 0; times < 5; times++) {
      await vi.advanceTimersByTimeAsync(5_000)
      expect(socket.sent).toHaveLength(times + 1)
      socket.tell('pong')
    }
    expect(page.live.value.connection).toBe('stream')
    expect(FakeSocket.all).toHaveLength(1)
  })

  it('is pinged once a minute although the service speaks all the time', async () => {
    const socket = newestSocket()
    for (let seconds = 0; seconds < 125; seconds++) {
      await vi.advanceTimersByTimeAsync(1_000)
      socket.tell({ type: 'phase', ...tableIn('flight') })
    }
    expect(socket.sent).toHaveLength(2)
  })

  it('is called lost within ten seconds, and the flight stands still, although the browser reports nothing', async () => {
    isReachable = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(page.live.value.connection).toBe('lost')
    const shown = page.shownNow()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(page.shownNow()).toBe(shown)
  })

  it.each([
    [0, 9_000],
    [64, 9_500],
    [192, 10_500],
  ])('is replaced by a new one, by a page with place %i in its turn', async (place, ms) => {
    await reload(place)
    await vi.advanceTimersByTimeAsync(ms - 10)
    expect(FakeSocket.all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(10)
    expect(FakeSocket.all).toHaveLength(2)
    newestSocket().tell({ type: 'phase', ...tableIn('flight') })
    expect(page.live.value.connection).toBe('stream')
  })

  it('is lost at once if the device is offline, until it is online again', async () => {
    events.dispatchEvent(new Event('offline'))
    expect(page.live.value.connection).toBe('lost')
    events.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    expect(page.live.value.connection).toBe('polling')
  })
})

describe('a flight that no stream tells', () => {
  const openBet = { roundId: 7, token: 'ETH', amountWei: '1', autoCashout: null, placedAt: 1 }

  it.each([
    ['every two seconds by a spectator', null, 5],
    ['every 400 ms by a player with a bet', openBet, 25],
  ])('is read %s', async (_who, bet, count) => {
    page.session.patch({ me: { openBet: bet } as Partial<Me> as Me })
    newestSocket().dispatchEvent(new Event('close'))
    polls = 0
    await vi.advanceTimersByTimeAsync(10_001)
    expect(polls).toBeGreaterThanOrEqual(count)
    expect(polls).toBeLessThanOrEqual(count + 1)
  })
})

describe('a table whose next round is late, and that no stream tells', () => {
  it.each([
    ['once a second while it may open at any time', 'open', 10],
    ['every five seconds if it opens none', 'draining', 2],
  ] as const)('is read %s', async (_when, mode, count) => {
    polled = { phase: 'results', mode }
    newestSocket().dispatchEvent(new Event('close'))
    await vi.advanceTimersByTimeAsync(2_000)
    polls = 0
    await vi.advanceTimersByTimeAsync(10_000)
    expect(polls).toBe(count)
  })
})

describe('a bet that another tab has placed or cashed out', () => {
  const totals = { ETH: { count: 1, amountWei: '100' }, USDG: { count: 0, amountWei: '0' } }
  const own = { wallet: WALLET, token: 'ETH', amountWei: '100', multiplier: null, payout: null }
  const openBet = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null, placedAt: 1 }

  const showAs = (bet: typeof openBet | null) =>
    page.session.patch({
      player: { wallet: WALLET, authSig: '0x' },
      me: { openBet: bet } as Partial<Me> as Me,
    })

  it('makes this one read the player’s state, once', async () => {
    showAs(null)
    for (let times = 0; times < 3; times++)
      newestSocket().tell({ type: 'bets', roundId: 7, totals, bets: [own] })
    await vi.advanceTimersByTimeAsync(0)
    expect(reads).toBe(1)
  })

  it('makes this one read it again after a failure, once a second', async () => {
    showAs(null)
    newestSocket().tell({ type: 'bets', roundId: 7, totals, bets: [own] })
    await vi.advanceTimersByTimeAsync(3_500)
    expect(reads).toBe(4)
    showAs(openBet)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reads).toBe(4)
  })

  it('needs no read if this tab knows of it', async () => {
    showAs(openBet)
    newestSocket().tell({ type: 'bets', roundId: 7, totals, bets: [own] })
    await vi.advanceTimersByTimeAsync(0)
    expect(reads).toBe(0)
    const win = { wallet: WALLET, token: 'ETH', mult: 1.2, payout: '120' }
    newestSocket().tell({ type: 'win', roundId: 7, win })
    await vi.advanceTimersByTimeAsync(0)
    expect(reads).toBe(1)
  })
})

describe('the bets of a round with many players', () => {
  const totals = { ETH: { count: 300, amountWei: '3000' }, USDG: { count: 0, amountWei: '0' } }
  const openBet = { roundId: 7, token: 'ETH', amountWei: '1', autoCashout: null, placedAt: 1 }
  let queries: string[]

  beforeEach(() => {
    queries = []
    vi.stubGlobal('fetch', async (path: string) => {
      queries.push(path)
      return Response.json({ ok: true, roundId: 7, betsRoot: null, totals, bets: [] })
    })
    const me = { openBet } as Partial<Me> as Me
    page.session.patch({ credentials: { wallet: WALLET, authSig: '0x' }, me })
    newestSocket().tell({ type: 'bets', roundId: 7, totals, bets: [] })
  })

  it('are read without naming the player, whose own the page knows', async () => {
    newestSocket().tell({ type: 'snapshot', state: tableIn('flight'), totals })
    await vi.advanceTimersByTimeAsync(0)
    expect(queries).toEqual(['/api/crash?action=bets'])
    const own = { wallet: WALLET, token: 'ETH', amountWei: '1', multiplier: null, payout: null }
    expect(page.bets.value?.bets).toEqual([own])
  })

  it('are read with the player’s own after the end', async () => {
    newestSocket().tell({ type: 'phase', ...tableIn('results') })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(queries).toContain(`/api/crash?action=bets&wallet=${WALLET}`)
  })
})
