import type { PerToken } from '../money/token.ts'
import type { Mode } from '../operator/modes.ts'
import type { TableConfig } from '../vault/table-config.ts'
import type { FixedBets } from './bets-root.ts'
import type { Win } from './result.ts'
import {
  historyEntry,
  movingState,
  phaseOf,
  plannedState,
  snapshotExpiresAt,
  steadyState,
  winEntry,
  type Phase,
  type ReportedCounts,
  type RoundReport,
  type RoundView,
  type Snapshot,
} from './state.ts'
import { REPORTED_BETS, type BetTotals, type ShownBet } from './table-bets.ts'

/** A message of the live stream, sent as one JSON text. */
export type StreamMessage =
  | { type: 'snapshot'; state: ReturnType<typeof stateAsOf>; totals: PerToken<BetTotals> }
  | ({ type: 'phase' } & ReturnType<typeof movingState> & ReturnType<typeof plannedState>)
  | ({ type: 'close'; roundId: number } & FixedBets)
  | { type: 'bets'; roundId: number; totals: PerToken<BetTotals>; bets: ShownBet[] }
  | { type: 'win'; roundId: number; win: ReturnType<typeof winEntry> }
  | { type: 'history'; entry: ReturnType<typeof historyEntry> }

/** The part of the messages already sent to viewers that decides the next messages. */
export interface StreamState extends ReportedCounts {
  roundId: number
  phase: Phase
  /** The time of the latest state sent, by the round's clock. */
  asOf: number
  /** Whether the root over the round's bets was sent. */
  isClosed: boolean
  /** The newest round of the history that was sent. */
  historyRoundId: number
  /** The table's mode. */
  mode: Mode
}

/** News from the table, with the history, or from a round, with its bets and cash-outs. */
export type StreamUpdate = Snapshot | RoundReport

/** In their order. */
export const PHASES: Phase[] = ['betting', 'flight', 'results']

/** How often to ask a reporting round, in case a report is lost. */
export const HEARTBEAT_MS = 40_000

/** The shortest pause between polls, which absorbs small differences between clocks. */
const SHORTEST_PAUSE_MS = 10

/** The most win messages sent to all viewers together per report; the crash may be queued behind them. */
const WIN_MESSAGES = 10_000
/** The number of wins each viewer gets per report, however many viewers there are. */
const FEWEST_WINS = 5
/** The most bets sent to all viewers together per report. */
const BETS_TO_ALL = 50_000

/**
 * Returns the messages for some news, and the new state of the stream. News may arrive late, twice or out of order; the
 * messages never repeat or go back. Of many bets or wins only the newest are sent.
 */
export function messagesAfter(
  sent: StreamState | null,
  news: StreamUpdate,
  { config, viewers }: { config: TableConfig; viewers: number },
): { sent: StreamState; messages: StreamMessage[] } {
  if (!sent) return { sent: sentAfter(news, null), messages: [] }
  const { roundId } = news.plan
  if (roundId < sent.roundId) return { sent, messages: [] }
  const mostWins = Math.max(FEWEST_WINS, Math.floor(WIN_MESSAGES / viewers))
  const wins = freshWins(sent, news, mostWins).map((win): StreamMessage => ({
    type: 'win',
    roundId,
    win: winEntry(win),
  }))
  const phase = isLater(news, sent) ? [phaseMessage(news, config)] : []
  const events: StreamMessage[] = [
    ...betsMessages(sent, news, Math.min(REPORTED_BETS, Math.floor(BETS_TO_ALL / viewers))),
    ...(phase.length === 0 ? closeMessages(sent, news) : []),
    ...wins,
  ]
  const ended = historyOf(news).filter((entry) => entry.roundId > sent.historyRoundId)
  const messages: StreamMessage[] = [
    ...historyMessages(ended.filter((entry) => entry.roundId < roundId)),
    // A round's wins belong between its take-off and its end.
    ...(phaseOf(news.stage) === 'results' ? [...events, ...phase] : [...phase, ...events]),
    ...historyMessages(ended.filter((entry) => entry.roundId === roundId)),
    ...modeMessages(sent, news, config),
  ]
  return { sent: messages.length > 0 ? sentAfter(news, sent) : sent, messages }
}

/** Returns the first message for a new viewer. */
export function snapshotMessage(snapshot: Snapshot, config: TableConfig): StreamMessage {
  return { type: 'snapshot', state: stateAsOf(snapshot, config), totals: snapshot.totals }
}

/** Returns whether a snapshot is older than the messages already sent, so that it would take a viewer back. */
export function isBehind({ plan, stage, asOf }: Snapshot, sent: StreamState): boolean {
  if (plan.roundId !== sent.roundId) return plan.roundId < sent.roundId
  return asOf < sent.asOf || PHASES.indexOf(phaseOf(stage)) < PHASES.indexOf(sent.phase)
}

/** Returns whether some news has the round and the phase that were last sent to viewers. */
export function isCurrent({ plan, stage }: StreamUpdate, sent: StreamState | null): boolean {
  return sent?.roundId === plan.roundId && sent.phase === phaseOf(stage)
}

/**
 * Returns the time until the next look at the round or table, in milliseconds. Never depends on a future
 * crash: a round reports its own take-off and end.
 * @param reports whether the round reports its changes
 */
export function msToNextPoll(view: RoundView, reports: boolean): number {
  if (reports && !view.result) return HEARTBEAT_MS
  return Math.max(SHORTEST_PAUSE_MS, snapshotExpiresAt(view) - view.asOf)
}

function stateAsOf(snapshot: Snapshot, config: TableConfig) {
  return { ...movingState(snapshot, snapshot.asOf), ...steadyState(snapshot, config) }
}

function phaseMessage(view: RoundView, config: TableConfig): StreamMessage {
  return { type: 'phase', ...movingState(view, view.asOf), ...plannedState(view, config) }
}

/** A phase message has the root too, so it is not repeated. */
function closeMessages(
  { isClosed }: StreamState,
  { plan, fixedBets }: StreamUpdate,
): StreamMessage[] {
  return isClosed || !fixedBets ? [] : [{ type: 'close', roundId: plan.roundId, ...fixedBets }]
}

/** The totals count every bet, so that a viewer knows of bets that no message had. */
function betsMessages(sent: StreamState, news: StreamUpdate, most: number): StreamMessage[] {
  if ('history' in news) return []
  const count = news.betCount - countsOf(sent, news).betCount
  if (!(count > 0)) return []
  const bets = news.freshBets.slice(-Math.min(count, most))
  return [{ type: 'bets', roundId: news.plan.roundId, totals: news.totals, bets }]
}

/** @param entries newest first */
function historyMessages(entries: Snapshot['history']): StreamMessage[] {
  return entries.toReversed().map((entry) => ({ type: 'history', entry: historyEntry(entry) }))
}

/** A new mode of the table comes as another snapshot. If that is behind, a later one has the mode too. */
function modeMessages(sent: StreamState, news: StreamUpdate, config: TableConfig): StreamMessage[] {
  const isNew = 'mode' in news && modeOf(news, sent) !== sent.mode
  return isNew ? [snapshotMessage(news, config)] : []
}

/** Returns the mode that viewers know after some news. */
function modeOf(news: StreamUpdate, sent: StreamState | null): Mode {
  const hasMode = 'mode' in news && !(sent && isBehind(news, sent))
  return hasMode ? news.mode : (sent?.mode ?? 'open')
}

function historyOf(news: StreamUpdate): Snapshot['history'] {
  if ('history' in news) return news.history
  return news.result?.kind === 'settled' ? [news.result] : []
}

function freshWins(sent: StreamState, news: StreamUpdate, most: number): Win[] {
  if ('history' in news) return []
  const count = news.winCount - countsOf(sent, news).winCount
  return count > 0 ? news.freshWins.slice(-Math.min(count, most)) : []
}

function isLater(view: RoundView, sent: StreamState): boolean {
  const phase = PHASES.indexOf(phaseOf(view.stage))
  return view.plan.roundId > sent.roundId || phase > PHASES.indexOf(sent.phase)
}

const NOTHING: ReportedCounts = { winCount: 0, betCount: 0 }

/** Returns how many cash-outs and bets of the news' round were sent. */
function countsOf(sent: StreamState | null, news: StreamUpdate): ReportedCounts {
  return sent?.roundId === news.plan.roundId ? sent : NOTHING
}

function sentAfter(news: StreamUpdate, sent: StreamState | null): StreamState {
  const { plan, stage, asOf, fixedBets } = news
  const isSameRound = sent?.roundId === plan.roundId
  const before = countsOf(sent, news)
  const after = 'history' in news ? before : news
  const later = !sent || isLater(news, sent)
  return {
    roundId: plan.roundId,
    phase: later ? phaseOf(stage) : sent.phase,
    asOf: isSameRound ? Math.max(asOf, sent.asOf) : asOf,
    isClosed: fixedBets !== null || (isSameRound && sent.isClosed),
    winCount: Math.max(before.winCount, after.winCount),
    betCount: Math.max(before.betCount, after.betCount),
    historyRoundId: Math.max(sent?.historyRoundId ?? 0, historyOf(news)[0]?.roundId ?? 0),
    mode: modeOf(news, sent),
  }
}
