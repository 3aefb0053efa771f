import { beforeEach, describe, expect, it } from 'vitest'
import { movingState, steadyState } from '../../../src/crash/state.ts'
import { noBets } from '../../../src/crash/table-bets.ts'
import { ServerClock } from '../../../src/play/crash/clock.ts'
import { asTold, withNews } from '../../../src/play/crash/news.ts'
import { multiplierNow, type TableState } from '../../../src/play/crash/table.ts'
import { roundOf, TAKEOFF_AT, TERMS } from '../support/builders.ts'

function tableAt(now: number): TableState {
  const round = roundOf(300)
  round.advance(now)
  const snapshot = { ...round.view(now), history: [], recentWins: [], mode: 'open' as const }
  const config = { depositFeeBps: 0, terms: TERMS, chain: null, withdrawal: null }
  return { ...movingState(snapshot, now), ...steadyState(snapshot, config) }
}

describe('the multiplier on the page', () => {
  it('grows by the server’s clock between two messages', () => {
    expect(multiplierNow(tableAt(TAKEOFF_AT), TAKEOFF_AT + 11_552)).toBe(199)
    expect(multiplierNow(tableAt(TAKEOFF_AT), TAKEOFF_AT + 11_553)).toBe(200)
  })

  it('is the crash point once it is known, however late', () => {
    expect(multiplierNow(tableAt(TAKEOFF_AT + 30_000), TAKEOFF_AT + 31_000)).toBe(300)
  })
})

describe('table news', () => {
  const flight = tableAt(TAKEOFF_AT + 1_000)

  it('that is outdated is ignored', () => {
    const betting = tableAt(TAKEOFF_AT - 1)
    const { totals } = noBets(7, null)
    expect(withNews(flight, { type: 'snapshot', state: betting, totals })).toBe(flight)
  })

  it('of what operators have set is older in an answer than in the stream', () => {
    const answer = { ...tableAt(TAKEOFF_AT + 2_000), mode: 'draining' as const }
    expect(asTold(flight, answer)).toEqual({ ...answer, mode: 'open' })
    expect(asTold(null, answer)).toBe(answer)
  })

  it('of a result is added to the history once', () => {
    const news = { type: 'history', entry: { roundId: 7, crash: 3 } } as const
    expect(withNews(withNews(flight, news), news)?.history).toEqual([news.entry])
  })

  it('of a transition keeps history and wins', () => {
    const known = { ...flight, history: [{ roundId: 6, crash: 2 }] }
    const { history: _history, recentWins: _wins, ...results } = tableAt(TAKEOFF_AT + 30_000)
    const after = withNews(known, { type: 'phase', ...results })
    expect(after).toMatchObject({ phase: 'results', crashPoint: 3, history: known.history })
  })
})

describe('the server’s clock', () => {
  it('is taken from the fastest answer', () => {
    const clock = new ServerClock()
    clock.sampled(1_100, 0, 200)
    clock.sampled(1_310, 300, 320)
    clock.sampled(1_450, 400, 500)
    expect(clock.at(1_000)).toBeCloseTo(2_000, 0)
  })

  it('is known from a first message in flight, even if this device’s clock is fast', () => {
    const clock = new ServerClock()
    clock.told(1_000, 21_000)
    expect(clock.at(21_000)).toBe(1_000)
  })

  it('is never behind the latest message', () => {
    const clock = new ServerClock()
    clock.sampled(1_010, 0, 20)
    clock.told(2_050, 1_000)
    expect(clock.at(1_000)).toBe(2_050)
  })

  it('was not ahead of a slower answer when that was asked for', () => {
    const clock = new ServerClock()
    clock.sampled(290, 0, 300)
    clock.sampled(1_100, 1_000, 1_310)
    expect(clock.at(1_000)).toBeLessThanOrEqual(1_100)
  })

  it.each([10, 480])(
    'does not jump ahead at a slow answer after %d minutes of messages',
    (minutes) => {
      const DELAY_MS = 25
      const clock = new ServerClock()
      clock.sampled(DELAY_MS, 0, 2 * DELAY_MS)
      const askedAt = minutes * 60_000
      for (let at = 1_000; at <= askedAt; at += 1_000) clock.told(at - DELAY_MS, at)
      // The request takes long over a cold connection; its answer does not.
      const receivedAt = askedAt + 600
      clock.sampled(receivedAt - DELAY_MS, askedAt, receivedAt)
      expect(clock.at(receivedAt)).toBeLessThanOrEqual(receivedAt)
    },
  )

  describe('after eight hours of messages to a device whose clock is 50 ppm fast', () => {
    const HOURS_MS = 8 * 3_600_000
    const local = (server: number) => server * (1 + 50e-6)
    let clock: ServerClock

    beforeEach(() => {
      clock = new ServerClock()
      clock.sampled(10, local(0), local(20))
      for (let sentAt = 10_000; sentAt <= HOURS_MS; sentAt += 10_000)
        clock.told(sentAt, local(sentAt + 40))
    })

    it('is not ahead, so that a cash-out pays no less than the page shows', () => {
      const aheadMs = clock.at(local(HOURS_MS)) - HOURS_MS
      expect(aheadMs).toBeLessThan(0)
      expect(aheadMs).toBeGreaterThan(-100)
    })

    it('is taken from an answer slower than the first one', () => {
      clock.sampled(HOURS_MS + 50, local(HOURS_MS), local(HOURS_MS + 100))
      expect(clock.at(local(HOURS_MS + 100))).toBeCloseTo(HOURS_MS + 100, 1)
    })
  })
})
