import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcement } from '../../../../src/play/announce.ts'
import { Autobet, type Seat } from '../../../../src/play/autobet/autobet.ts'
import type { Answer, Event, Plan } from '../../../../src/play/autobet/rules.ts'
import { interruption } from '../../../../src/play/limits/interruption.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PLAN: Plan<string> = {
  choice: 'limbo',
  token: 'ETH',
  amountWei: '1000',
  count: 3,
  onWin: { kind: 'keep' },
  onLoss: { kind: 'keep' },
  stopProfitWei: null,
  stopLossWei: null,
  pauseMs: 0,
}

beforeEach(() => {
  vi.useFakeTimers()
  const stored = new Map<string, string>()
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A seat whose bets lose, and which notes when each was placed, with what. */
function seatOf(fields: Partial<Seat<string, string>> = {}) {
  const placed: { at: number; id: number; ticket: string }[] = []
  const terms = { autoplay: true, minPlayMs: 0 }
  const seat: Seat<string, string> = {
    name: 'test',
    player: () => WALLET,
    terms: () => terms,
    ready: () => ({ id: placed.length, ticket: `seed ${placed.length}` }),
    async place({ id, ticket }) {
      placed.push({ at: Date.now(), id, ticket })
      return { kind: 'settled', id, payoutWei: '0' }
    },
    ...fields,
  }
  const autobet = new Autobet(seat)
  const hide = autobet.show(WALLET)
  return { autobet, placed, terms, hide }
}

/** Stands for a house that never answers. */
const NO_ANSWER = () => new Promise<Event<string> | null>(() => {})

describe('automatic betting', () => {
  it('keeps the shortest time between two plays', async () => {
    const { autobet, placed, terms } = seatOf()
    terms.minPlayMs = 2_500
    void autobet.start(PLAN)
    await vi.advanceTimersByTimeAsync(60_000)
    const [first = 0, ...others] = placed.map(({ at }) => at)
    expect(others.map((at) => at - first)).toEqual([2_500, 5_000])
    expect(autobet.run.value?.end).toEqual({ reason: 'count' })
    expect(announcement.value).toBe('Autobet has ended. All bets placed.')
  })

  it('asks for the same bet again after a reload, with what it was sent with', async () => {
    const before = seatOf({ place: NO_ANSWER })
    void before.autobet.start(PLAN)
    before.hide()
    const { placed } = seatOf({ ready: () => ({ id: 7, ticket: 'another seed' }) })
    await vi.advanceTimersByTimeAsync(100)
    expect(placed[0]).toMatchObject({ id: 0, ticket: 'seed 0' })
  })

  it('does not bet for a player who comes back after more than two minutes', async () => {
    const before = seatOf({ place: NO_ANSWER })
    void before.autobet.start(PLAN)
    before.hide()
    await vi.advanceTimersByTimeAsync(120_001)
    const { autobet, placed } = seatOf()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toEqual([])
    expect(autobet.run.value?.end).toEqual({ reason: 'left' })
  })

  it('does not go on by itself when a device wakes up that was asleep for hours', async () => {
    const { autobet, placed } = seatOf()
    void autobet.start({ ...PLAN, pauseMs: 1_000 })
    await vi.advanceTimersByTimeAsync(500)
    vi.setSystemTime(Date.now() + 3 * 3_600_000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toHaveLength(1)
    expect(autobet.run.value?.end).toEqual({ reason: 'left' })
  })

  it('waits while the player is asked how long to go on', async () => {
    const { autobet, placed } = seatOf()
    interruption.set(true)
    void autobet.start(PLAN)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toEqual([])
    interruption.set(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toHaveLength(3)
  })

  it('does not start where it is not allowed, and stops where it no longer is', async () => {
    const { autobet, placed, terms } = seatOf()
    terms.autoplay = false
    void autobet.start(PLAN)
    expect(autobet.run.value).toBeNull()
    terms.autoplay = true
    void autobet.start({ ...PLAN, pauseMs: 1_000 })
    await vi.advanceTimersByTimeAsync(500)
    terms.autoplay = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toHaveLength(1)
    expect(autobet.run.value?.end).toEqual({ reason: 'off' })
  })

  it('pauses while its view is not shown', async () => {
    const { autobet, placed, hide } = seatOf()
    void autobet.start({ ...PLAN, pauseMs: 1_000 })
    await vi.advanceTimersByTimeAsync(500)
    hide()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toHaveLength(1)
    autobet.show(WALLET)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toHaveLength(3)
  })

  it('takes a part of the page that cannot be loaded for a service that does not answer', async () => {
    const { autobet } = seatOf({ place: () => Promise.reject(new TypeError('not loaded')) })
    void autobet.start(PLAN)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(autobet.run.value?.end).toEqual({ reason: 'refused', code: 'unreachable' })
  })

  it('can go on after a fault', async () => {
    let isBroken = true
    const ready = () => {
      if (isBroken) throw new TypeError('broken')
      return { id: 1, ticket: 'seed' }
    }
    const { autobet, placed, hide } = seatOf({ ready })
    await autobet.start(PLAN)
    await vi.advanceTimersByTimeAsync(1_000)
    isBroken = false
    hide()
    autobet.show(WALLET)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(placed.length).toBeGreaterThan(0)
  })

  it('leaves a run alone that another tab goes on with', async () => {
    const request = () => Promise.reject(new DOMException('another tab has it', 'TimeoutError'))
    const before = seatOf({ place: NO_ANSWER })
    void before.autobet.start(PLAN)
    before.hide()
    vi.stubGlobal('navigator', { locks: { request } })
    const { autobet, placed } = seatOf()
    expect(await autobet.start(PLAN)).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toEqual([])
  })

  it('does not start for a wallet that has signed in while it waited for another tab', async () => {
    let player = WALLET
    const waiting: (() => Promise<void>)[] = []
    const { autobet, placed } = seatOf({ player: () => player })
    await vi.advanceTimersByTimeAsync(1_000)
    const request = (_name: string, _options: object, run: () => Promise<void>) => {
      waiting.push(run)
      return Promise.resolve()
    }
    vi.stubGlobal('navigator', { locks: { request } })
    void autobet.start(PLAN)
    player = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    autobet.show(player)
    for (const run of waiting) void run()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toEqual([])
    expect(autobet.run.value).toBeNull()
  })

  it('pauses while another wallet is signed in', async () => {
    let player = WALLET
    const { autobet, placed } = seatOf({ player: () => player })
    void autobet.start({ ...PLAN, pauseMs: 1_000 })
    await vi.advanceTimersByTimeAsync(500)
    player = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    await vi.advanceTimersByTimeAsync(10_000)
    expect(placed).toHaveLength(1)
  })

  it('takes no stake from the strategy of a run that was stopped before', async () => {
    const asked: ((answer: Answer) => void)[] = []
    vi.doMock('../../../../src/play/strategies/advise.ts', () => ({
      advise: () => new Promise<Answer>((resolve) => asked.push(resolve)),
    }))
    const stakes: string[] = []
    const { autobet } = seatOf({
      async place({ id, amountWei }) {
        stakes.push(amountWei)
        return { kind: 'settled', id, payoutWei: '0' }
      },
    })
    const planOf = (text: string) => ({ ...PLAN, strategy: { text, maxStakeWei: '1000' } })
    const stake = (amountWei: string): Answer => ({ kind: 'stake', amountWei, memory: 'null' })
    void autobet.start(planOf('old'))
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    autobet.stop()
    void autobet.start(planOf('new'))
    asked[0]?.(stake('999'))
    await vi.waitFor(() => expect(asked).toHaveLength(2))
    asked[1]?.(stake('7'))
    await vi.waitFor(() => expect(stakes).toEqual(['7']))
  })
})
