import type { Win } from './result.ts'
import {
  historyEntry,
  movingState,
  phaseOf,
  plannedState,
  SNAPSHOT_MS,
  snapshotExpiresAt,
  steadyState,
  winEntry,
  type Phase,
  type RoundReport,
  type RoundView,
  type Snapshot,
} from './state.ts'
import type { Terms } from '../vault/terms.ts'

/** What comes down the live stream; each is one JSON text. */
export type StreamMessage =
  | { type: 'snapshot'; state: ReturnType<typeof stateAsOf> }
  | ({ type: 'phase' } & ReturnType<typeof movingState> & ReturnType<typeof plannedState>)
  | { type: 'win'; roundId: number; win: ReturnType<typeof winEntry> }
  | { type: 'history'; entry: ReturnType<typeof historyEntry> }

/** What everybody who watches has been told, as far as it decides what they are told next. */
export interface Told {
  roundId: number
  phase: Phase
  /** When the last of it was true, by the round's clock. */
  asOf: number
  /** How many of the round's cash-outs were told. */
  winCount: number
  /** The newest round of the history that was told. */
  historyRoundId: number
}

/** From the table, with the history; or from a round, with its cash-outs. */
export type News = Snapshot | RoundReport

const PHASES: Phase[] = ['betting', 'flight', 'results']

/** A round in flight that reports is still asked this often, in case that it has forgotten to. */
const HEARTBEAT_MS = 5_000

/** No look follows another sooner: clocks differ by a little. */
const SHORTEST_PAUSE_MS = 10

/** The wins of one report are at most so many messages to all viewers together: the crash may wait behind them. */
const WIN_MESSAGES = 10_000
/** However many watch, each is told of so many. */
const FEWEST_WINS = 5

/**
 * The messages that follow from news, and what has been told with them. Nothing is told twice, and
 * nothing goes back: news may come late, repeated or in another order. Of many wins the newest are told.
 */
export function messagesAfter(
  told: Told | null,
  news: News,
  { terms, viewers }: { terms: Terms; viewers: number },
): { told: Told; messages: StreamMessage[] } {
  if (!told) return { told: toldBy(news, null), messages: [] }
  const { roundId } = news.plan
  if (roundId < told.roundId) return { told, messages: [] }
  const mostWins = Math.max(FEWEST_WINS, Math.floor(WIN_MESSAGES / viewers))
  const wins = freshWins(told, news, mostWins).map((win): StreamMessage => ({
    type: 'win',
    roundId,
    win: winEntry(win),
  }))
  const phase = isLater(news, told) ? [phaseMessage(news, terms)] : []
  const ended = historyOf(news).filter((entry) => entry.roundId > told.historyRoundId)
  const messages: StreamMessage[] = [
    ...historyMessages(ended.filter((entry) => entry.roundId < roundId)),
    // A round's wins belong between its take-off and its end.
    ...(phaseOf(news.stage) === 'results' ? [...wins, ...phase] : [...phase, ...wins]),
    ...historyMessages(ended.filter((entry) => entry.roundId === roundId)),
  ]
  return { told: messages.length > 0 ? toldBy(news, told) : told, messages }
}

/** The first message of a viewer who comes now. */
export function snapshotMessage(snapshot: Snapshot, terms: Terms): StreamMessage {
  return { type: 'snapshot', state: stateAsOf(snapshot, terms) }
}

/** Whether a snapshot lacks something that viewers were told: one who starts with it would miss that. */
export function isBehind(snapshot: Snapshot, told: Told): boolean {
  const { roundId } = snapshot.plan
  return roundId < told.roundId || (roundId === told.roundId && snapshot.asOf < told.asOf)
}

/**
 * How long until the table has to be looked at again. Never depends on a crash that is still to
 * come: a round in flight says itself when it is over.
 * @param reports whether the round reports by itself
 */
export function msToNextLook(view: RoundView, reports: boolean): number {
  if (phaseOf(view.stage) === 'flight') return reports ? HEARTBEAT_MS : SNAPSHOT_MS
  return Math.max(SHORTEST_PAUSE_MS, snapshotExpiresAt(view) - view.asOf)
}

function stateAsOf(snapshot: Snapshot, terms: Terms) {
  return { ...movingState(snapshot, snapshot.asOf), ...steadyState(snapshot, terms) }
}

function phaseMessage(view: RoundView, terms: Terms): StreamMessage {
  return { type: 'phase', ...movingState(view, view.asOf), ...plannedState(view, terms) }
}

/** @param entries newest first */
function historyMessages(entries: Snapshot['history']): StreamMessage[] {
  return entries.toReversed().map((entry) => ({ type: 'history', entry: historyEntry(entry) }))
}

function historyOf(news: News): Snapshot['history'] {
  if ('history' in news) return news.history
  return news.result?.kind === 'settled' ? [news.result] : []
}

function freshWins(told: Told, news: News, most: number): Win[] {
  if ('history' in news) return []
  const count = news.winCount - winCountOf(told, news)
  return count > 0 ? news.freshWins.slice(-Math.min(count, most)) : []
}

function isLater(view: RoundView, told: Told): boolean {
  const phase = PHASES.indexOf(phaseOf(view.stage))
  return view.plan.roundId > told.roundId || phase > PHASES.indexOf(told.phase)
}

/** How many cash-outs of the round that the news is about were told. */
function winCountOf(told: Told | null, news: News): number {
  return told?.roundId === news.plan.roundId ? told.winCount : 0
}

function toldBy(news: News, told: Told | null): Told {
  const { plan, stage, asOf } = news
  const before = winCountOf(told, news)
  const later = !told || isLater(news, told)
  return {
    roundId: plan.roundId,
    phase: later ? phaseOf(stage) : told.phase,
    asOf: told?.roundId === plan.roundId ? Math.max(asOf, told.asOf) : asOf,
    winCount: 'history' in news ? before : Math.max(before, news.winCount),
    historyRoundId: Math.max(told?.historyRoundId ?? 0, historyOf(news)[0]?.roundId ?? 0),
  }
}
