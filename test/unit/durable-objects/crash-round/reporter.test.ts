import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  GATHER_BETS_MS,
  GATHER_MS,
  Reporter,
} from '../../../../durable-objects/crash-round/reporter.ts'
import { flightMs } from '../../../../src/crash/curve.ts'
import type { RoundReport } from '../../../../src/crash/state.ts'
import { OPENED_AT, placement, roundOf, TAKEOFF_AT } from '../../support/builders.ts'

const NOTHING = { winCount: 0, betCount: 0 }
const CRASH_AT = TAKEOFF_AT + flightMs(300)

/** A round in flight with a reporter like its object's, and the reports sent. */
function reported(tell: () => Promise<void> = async () => {}) {
  const round = roundOf(300, [{ wallet: 'alice' }, { wallet: 'bob' }])
  const reports: RoundReport[] = []
  const reporter = new Reporter(
    (since) => {
      const now = Date.now()
      round.advance(now)
      reporter.reportBy(round.nextTransitionAt(now), now)
      return round.report(now, since)
    },
    (report) => {
      reports.push(report)
      return tell()
    },
    'CrashRound 1',
  )
  const cashOut = (wallet: string) => {
    round.cashOut(wallet, Date.now())
    reporter.reportBy(Date.now() + GATHER_MS, Date.now())
  }
  const bet = (wallet: string) => {
    round.place(placement({ wallet }), Date.now())
    reporter.reportBy(Date.now() + GATHER_BETS_MS, Date.now())
  }
  const toldBets = () => reports.map(({ freshBets }) => freshBets.map(({ wallet }) => wallet))
  const told = () =>
    reports.map(({ stage, freshWins }) => [stage, ...freshWins.map(({ wallet }) => wallet)])
  return { reporter, cashOut, told, bet, toldBets }
}

describe('a followed round reports', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.setSystemTime(TAKEOFF_AT)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('its crash in the millisecond it happens, and nothing before', async () => {
    const { reporter, told } = reported()
    reporter.follow(NOTHING)
    await vi.advanceTimersByTimeAsync(CRASH_AT - TAKEOFF_AT - 1)
    expect(told()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(told()).toEqual([['results']])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told()).toHaveLength(1)
  })

  it('nothing once it is gone', async () => {
    const { reporter, cashOut, told } = reported()
    reporter.follow(NOTHING)
    cashOut('alice')
    reporter.stop()
    cashOut('bob')
    await vi.advanceTimersByTimeAsync(CRASH_AT - TAKEOFF_AT)
    expect(told()).toEqual([])
  })

  it('the cash-outs of a tenth of a second together, each once', async () => {
    const { reporter, cashOut, told } = reported()
    reporter.follow(NOTHING)
    cashOut('alice')
    await vi.advanceTimersByTimeAsync(99)
    cashOut('bob')
    expect(told()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(told()).toEqual([['flight', 'alice', 'bob']])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told()).toHaveLength(1)
  })

  it('the bets of a quarter of a second together, each once', async () => {
    vi.setSystemTime(OPENED_AT)
    const { reporter, bet, toldBets } = reported()
    reporter.follow({ winCount: 0, betCount: 2 })
    bet('carol')
    await vi.advanceTimersByTimeAsync(249)
    bet('dave')
    expect(toldBets()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(toldBets()).toEqual([['carol', 'dave']])
    bet('erin')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(toldBets()).toEqual([['carol', 'dave'], ['erin']])
  })

  it('no bet before it has told all earlier ones, however slow the follower', async () => {
    vi.setSystemTime(OPENED_AT)
    const { reporter, bet, toldBets } = reported(() => new Promise(() => {}))
    reporter.follow({ winCount: 0, betCount: 2 })
    bet('carol')
    await vi.advanceTimersByTimeAsync(1_000)
    bet('dave')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(toldBets()).toEqual([['carol']])
  })

  it('nothing without a follower', async () => {
    const { cashOut, told } = reported()
    cashOut('alice')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told()).toEqual([])
  })

  it('only the crash to a follower that has not accepted the last cash-outs', async () => {
    const { reporter, cashOut, told } = reported(() => new Promise(() => {}))
    reporter.follow(NOTHING)
    cashOut('alice')
    await vi.advanceTimersByTimeAsync(1_000)
    cashOut('bob')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told()).toEqual([['flight', 'alice']])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told()).toEqual([
      ['flight', 'alice'],
      ['results', 'alice', 'bob'],
    ])
  })

  it('undelivered news again with the next report', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const tell = vi.fn(async () => {}).mockRejectedValueOnce(new Error('lost'))
    const { reporter, cashOut, told } = reported(tell)
    reporter.follow(NOTHING)
    cashOut('alice')
    await vi.advanceTimersByTimeAsync(1_000)
    cashOut('bob')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told()).toEqual([
      ['flight', 'alice'],
      ['flight', 'alice', 'bob'],
    ])
  })
})
