import { describe, expect, it } from 'vitest'
import { flightMs } from '../../../src/crash/curve.ts'
import { Round } from '../../../src/crash/round.ts'
import {
  movingState,
  plannedState,
  type ReportedCounts,
  type RoundReport,
  type Snapshot,
} from '../../../src/crash/state.ts'
import {
  isBehind,
  isCurrent,
  messagesAfter,
  msToNextPoll,
  type StreamUpdate,
  type StreamMessage,
  type StreamState,
} from '../../../src/crash/stream.ts'
import {
  OPENED_AT,
  placement,
  recordOf,
  ROUND_ID,
  roundOf,
  TAKEOFF_AT,
  VOID_AT,
  TERMS,
} from '../support/builders.ts'

const CRASH_AT = TAKEOFF_AT + flightMs(300)
const HISTORY = [
  { roundId: 6, crash: 123 },
  { roundId: 5, crash: 250 },
]

/** Plays a round up to a time and returns its report after these counts. */
function report(round: Round, now: number, since: Partial<ReportedCounts> = {}): RoundReport {
  round.advance(now)
  return round.report(now, { winCount: 0, betCount: 0, ...since })
}

function snapshot(round: Round, now: number, history: Snapshot['history'] = HISTORY): Snapshot {
  round.advance(now)
  return { ...round.view(now), history, recentWins: round.view(now).wins, mode: 'open' }
}

/** The same report for another round. */
function ofRound<T extends StreamUpdate>(roundId: number, news: T): T {
  return { ...news, plan: { ...news.plan, roundId } }
}

/** All messages that viewers receive for these reports, in order. */
function sendAll(
  news: StreamUpdate[],
  viewers = 2,
): { messages: StreamMessage[][]; sent: StreamState } {
  let sent = messagesAfter(null, snapshot(roundOf(300), OPENED_AT), options(viewers)).sent
  const messages = news.map((piece) => {
    const after = messagesAfter(sent, piece, options(viewers))
    sent = after.sent
    return after.messages
  })
  return { messages, sent }
}

const CONFIG = { depositFeeBps: 50, terms: TERMS, chain: null, withdrawal: null }
const options = (viewers: number) => ({ config: CONFIG, viewers })

/** The messages as text, without those about bets. */
const brief = (messages: StreamMessage[]) =>
  messages.flatMap((message) => {
    if (message.type === 'bets') return []
    if (message.type === 'phase') return `${message.roundId} ${message.phase}`
    if (message.type === 'close') return `${message.roundId} closed`
    if (message.type === 'win') return `${message.win.wallet} at ${message.win.mult}`
    return message.type === 'history' ? `history ${message.entry.roundId}` : 'snapshot'
  })

const received = (...news: StreamUpdate[]) => sendAll(news).messages.map(brief)

describe('viewers receive', () => {
  it('nothing while nothing changes', () => {
    const round = roundOf(300)
    expect(received(report(round, OPENED_AT + 1), snapshot(round, TAKEOFF_AT - 1))).toEqual([
      [],
      [],
    ])
    expect(
      received(
        report(round, TAKEOFF_AT),
        report(round, TAKEOFF_AT + 1),
        snapshot(round, CRASH_AT - 1),
      ),
    ).toEqual([[`${ROUND_ID} flight`], [], []])
  })

  it('each transition, and the history with the crash', () => {
    const round = roundOf(300)
    const next = ofRound(ROUND_ID + 1, snapshot(roundOf(300), OPENED_AT))
    expect(received(report(round, TAKEOFF_AT), report(round, CRASH_AT), next)).toEqual([
      [`${ROUND_ID} flight`],
      [`${ROUND_ID} results`, `history ${ROUND_ID}`],
      [`${ROUND_ID + 1} betting`],
    ])
  })

  it('the root over the bets once they have closed', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    round.place(placement(), OPENED_AT)
    const closesAt = round.record.plan.betsCloseAt
    const [before, close, again] = sendAll([
      report(round, closesAt - 1),
      report(round, closesAt),
      snapshot(round, closesAt + 1),
    ]).messages
    expect([before?.map(({ type }) => type), again]).toEqual([['bets'], []])
    expect(close).toEqual([{ type: 'close', roundId: ROUND_ID, ...round.fixedBets }])
  })

  it('the root with the phase if the close and the next phase are sent together', () => {
    const round = roundOf(300, [{}])
    const [messages] = sendAll([report(round, TAKEOFF_AT)]).messages
    expect(messages).toEqual([
      expect.objectContaining({ type: 'phase', ...round.fixedBets }),
      expect.objectContaining({ type: 'bets' }),
    ])
  })

  it('the whole state except its lists with a transition', () => {
    const crashed = report(roundOf(300), CRASH_AT)
    const [messages] = sendAll([crashed]).messages
    expect(messages).toEqual([
      { type: 'phase', ...movingState(crashed, CRASH_AT), ...plannedState(crashed, CONFIG) },
      { type: 'history', entry: { roundId: ROUND_ID, crash: 3 } },
    ])
    expect(messages?.[0]).toMatchObject({
      crashPoint: 3,
      msLeft: 4_000,
      config: { depositFeeBps: 50 },
    })
  })

  it('a crash at 1.00 without a flight before it', () => {
    expect(received(report(roundOf(100), TAKEOFF_AT))).toEqual([
      [`${ROUND_ID} results`, `history ${ROUND_ID}`],
    ])
  })

  it('a void, which the history does not show', () => {
    const round = new Round(recordOf('drand-quicknet', 300), [])
    expect(received(report(round, VOID_AT))).toEqual([[`${ROUND_ID} results`]])
  })

  it('the missed history before the current round, oldest first', () => {
    const later = snapshot(roundOf(300), OPENED_AT, [
      { roundId: ROUND_ID + 1, crash: 110 },
      { roundId: ROUND_ID, crash: 300 },
      ...HISTORY,
    ])
    expect(received(ofRound(ROUND_ID + 2, later))).toEqual([
      [`history ${ROUND_ID}`, `history ${ROUND_ID + 1}`, `${ROUND_ID + 2} betting`],
    ])
  })

  it('cash-outs in the order they were decided, between take-off and the end of their round', () => {
    const round = roundOf(300, [
      { wallet: 'alice', token: 'USDG', autoCashout: 200 },
      { wallet: 'bob', autoCashout: 150 },
      { wallet: 'carol' },
    ])
    round.advance(TAKEOFF_AT + 1_000)
    round.cashOut('carol', TAKEOFF_AT + 1_000)
    expect(received(report(round, TAKEOFF_AT + 1_000), report(round, CRASH_AT))).toEqual([
      [`${ROUND_ID} flight`, 'carol at 1.06'],
      ['bob at 1.5', 'alice at 2', `${ROUND_ID} results`, `history ${ROUND_ID}`],
    ])
  })

  it('nothing twice, and nothing outdated', () => {
    const round = roundOf(300, [{ wallet: 'bob', autoCashout: 150 }])
    const flight = report(round, TAKEOFF_AT)
    const win = report(round, CRASH_AT - 1)
    const crash = report(round, CRASH_AT)
    const next = ofRound(ROUND_ID + 1, snapshot(roundOf(300), OPENED_AT))
    expect(received(crash, win, flight, crash, next, crash, flight)).toEqual([
      ['bob at 1.5', `${ROUND_ID} results`, `history ${ROUND_ID}`],
      [],
      [],
      [],
      [`${ROUND_ID + 1} betting`],
      [],
      [],
    ])
  })

  it('a new mode as a snapshot, but not with one that is older than the crash', () => {
    const round = roundOf(300)
    const closed = (now: number): Snapshot => ({ ...snapshot(round, now), mode: 'closed' })
    const flying = closed(CRASH_AT - 1)
    expect(
      received(report(round, CRASH_AT), flying, closed(CRASH_AT), closed(CRASH_AT + 1)),
    ).toEqual([[`${ROUND_ID} results`, `history ${ROUND_ID}`], [], ['snapshot'], []])
  })

  it('every win while few watch, and only the newest while many watch', () => {
    const round = roundOf(300)
    for (let player = 0; player < 50; player++)
      round.place(placement({ wallet: `p${player}`, autoCashout: 101 + player }), OPENED_AT)
    const crash = report(round, CRASH_AT)
    const wins = (viewers: number) =>
      brief(sendAll([crash], viewers).messages.flat()).filter((message) => message.includes('at'))
    expect(wins(200)).toHaveLength(50)
    expect(wins(400)).toEqual(wins(200).slice(-25))
    expect(wins(5_000)).toEqual(wins(200).slice(-5))
  })
})

describe('bets', () => {
  /** A round with this many bets by p0, p1, … */
  function roundWith(count: number): Round {
    const round = roundOf(300)
    for (let player = 0; player < count; player++)
      round.place(placement({ wallet: `p${player}`, autoCashout: 150 }), OPENED_AT)
    return round
  }

  /** The wallets of each message about bets, for these news. */
  const bettors = (news: StreamUpdate[], viewers = 2) =>
    sendAll(news, viewers)
      .messages.flat()
      .flatMap((message) =>
        message.type === 'bets' ? [message.bets.map(({ wallet }) => wallet)] : [],
      )

  it('are sent once, with the totals so far and without their targets', () => {
    const round = roundWith(1)
    const first = report(round, OPENED_AT + 250)
    round.place(placement({ wallet: 'p1', token: 'USDG', amountWei: 7n }), OPENED_AT + 300)
    const second = report(round, OPENED_AT + 500)
    const [one, two, again] = sendAll([first, second, first]).messages
    const live = { multiplier: null, payout: null }
    expect(one).toEqual([
      {
        type: 'bets',
        roundId: ROUND_ID,
        totals: { ETH: { count: 1, amountWei: '100' }, USDG: { count: 0, amountWei: '0' } },
        bets: [{ wallet: 'p0', token: 'ETH', amountWei: '100', ...live }],
      },
    ])
    expect(two).toMatchObject([
      { totals: { USDG: { count: 1, amountWei: '7' } }, bets: [{ wallet: 'p1' }] },
    ])
    expect(again).toEqual([])
  })

  it('are at most the newest fifty in a message, and fewer while many watch', () => {
    const reported = report(roundWith(120), OPENED_AT + 250)
    expect(reported.freshBets).toHaveLength(50)
    const newest = Array.from({ length: 50 }, (_, index) => `p${70 + index}`)
    expect(bettors([reported])).toEqual([newest])
    expect(bettors([reported], 1_000)).toEqual([newest])
    expect(bettors([reported], 5_000)).toEqual([newest.slice(-10)])
    expect(sendAll([reported]).messages.flat()).toMatchObject([{ totals: { ETH: { count: 120 } } }])
  })

  it('of the next round come after its beginning', () => {
    const next = ofRound(ROUND_ID + 1, report(roundWith(1), OPENED_AT + 1))
    const types = sendAll([next])
      .messages.flat()
      .map(({ type }) => type)
    expect(types).toEqual(['phase', 'bets'])
  })

  it('are sent before the crash that they are reported with', () => {
    const types = sendAll([report(roundWith(1), CRASH_AT)])
      .messages.flat()
      .map(({ type }) => type)
    expect(types).toEqual(['bets', 'win', 'phase', 'history'])
  })
})

describe('a report', () => {
  it('contains the cash-outs after the known ones, even after a restart', () => {
    const round = roundOf(300, [
      { wallet: 'alice', autoCashout: 200 },
      { wallet: 'bob', autoCashout: 150 },
    ])
    const { freshWins, winCount } = report(round, CRASH_AT, { winCount: 1 })
    expect(freshWins).toMatchObject([{ wallet: 'alice' }])
    expect(winCount).toBe(2)
    expect(report(new Round(round.record, round.bets), CRASH_AT, { winCount: 1 })).toMatchObject({
      freshWins,
      winCount,
    })
  })
})

it.each(['alice', 'bob'])('a cash-out after a restart is reported after that of %s', (first) => {
  const before = roundOf(300, [{ wallet: 'alice' }, { wallet: 'bob' }])
  before.advance(TAKEOFF_AT + 1_000)
  before.cashOut(first, TAKEOFF_AT + 1_000)
  const known = report(before, TAKEOFF_AT + 1_100)
  const after = new Round(before.record, before.bets)
  const second = first === 'alice' ? 'bob' : 'alice'
  // Its clock may be behind that of the instance that has reported.
  after.cashOut(second, after.resumesAt)
  const again = new Round(after.record, after.bets)
  expect(report(again, TAKEOFF_AT + 1_200, known).freshWins).toMatchObject([{ wallet: second }])
})

describe('news', () => {
  it('is current while viewers have been sent its round and phase, and no later ones', () => {
    const round = roundOf(300)
    const flight = report(round, CRASH_AT - 1)
    const inFlight = sendAll([flight]).sent
    const crash = report(round, CRASH_AT)
    const crashed = sendAll([crash]).sent
    expect(isCurrent(flight, inFlight)).toBe(true)
    expect(isCurrent(flight, crashed)).toBe(false)
    expect(isCurrent(crash, crashed)).toBe(true)
    expect(isCurrent(ofRound(ROUND_ID - 1, crash), crashed)).toBe(false)
    expect(isCurrent(flight, null)).toBe(false)
  })
})

describe('a snapshot for a new viewer', () => {
  it('is outdated if the others have received something newer', () => {
    const round = roundOf(300)
    const before = snapshot(round, CRASH_AT - 1)
    const { sent: crashed } = sendAll([report(round, CRASH_AT)])
    expect(isBehind(before, crashed)).toBe(true)
    expect(isBehind(snapshot(round, CRASH_AT), crashed)).toBe(false)
    expect(isBehind(ofRound(ROUND_ID - 1, snapshot(round, CRASH_AT)), crashed)).toBe(true)
    expect(isBehind(ofRound(ROUND_ID + 1, before), crashed)).toBe(false)
  })
})

describe('the next look', () => {
  const view = (now: number) => report(roundOf(300), now)

  it.each<[string, RoundReport, boolean, number]>([
    ['comes occasionally while bets are open', view(OPENED_AT), true, 40_000],
    ['comes occasionally in flight', view(TAKEOFF_AT), true, 40_000],
    ['does so up to the last millisecond', view(CRASH_AT - 1), true, 40_000],
    ['waits for take-off if the round does not report', view(OPENED_AT), false, 8_000],
    ['comes often in flight if the round does not report', view(TAKEOFF_AT), false, 200],
    ['waits for the end of the results', view(CRASH_AT), true, 4_000],
    ['never comes at once', view(CRASH_AT + 4_000), true, 10],
  ])('%s', (_what, seen, reports, ms) => {
    expect(msToNextPoll(seen, reports)).toBe(ms)
  })
})
