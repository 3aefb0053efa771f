import { toMultiplier, type Hundredths } from '../money/multiplier.ts'
import type { PerToken, Token } from '../money/token.ts'
import type { SetTerms, Mode } from '../operator/modes.ts'
import type { TableConfig } from '../vault/table-config.ts'
import type { FixedBets } from './bets-root.ts'
import { GROWTH_PER_MS } from './curve.ts'
import { shownLimits, type RoundPlan, type ShownStage } from './plan.ts'
import type { RoundResult, SettledRound, Win } from './result.ts'
import type { BetTotals, ShownBet } from './table-bets.ts'

/** A round's public view. Never includes its seed or crash point before its end. */
export interface RoundView {
  plan: RoundPlan
  /** The terms that operators had set when the round opened. */
  setTerms: SetTerms
  stage: ShownStage
  /** The time of this view, by the round's own clock. */
  asOf: number
  /** The planned take-off, or the actual one once known. */
  takeoffAt: number
  multiplier: Hundredths
  /** Null until bets close. */
  fixedBets: FixedBets | null
  /** The bets placed so far. */
  totals: PerToken<BetTotals>
  /** The newest cash-outs of this round. */
  wins: Win[]
  /** In flight, the tokens without live bets. */
  decidedTokens: Token[]
  /** Null until the round has recorded its end. */
  result: RoundResult | null
  /** When a table that opens no next round should be read again, by its own clock. */
  restsUntil?: number
}

/** The numbers of a round's cash-outs and bets that its follower has. */
export interface ReportedCounts {
  winCount: number
  betCount: number
}

/** A round's report to the live stream: its view, its new bets and cash-outs, and how many it has in all. */
export interface RoundReport extends RoundView, ReportedCounts {
  /** In the order they were placed, limited to the newest. */
  freshBets: ShownBet[]
  /** In the order they were decided, limited to the newest. */
  freshWins: Win[]
}

/** The whole public state, cached briefly by an isolate. Contains no secrets. */
export interface Snapshot extends RoundView {
  /** Newest first. */
  history: Pick<SettledRound, 'roundId' | 'crash'>[]
  recentWins: Win[]
  /** As the operator has set it, even if that is yet to take effect. */
  mode: Mode
}

export type Phase = 'betting' | 'flight' | 'results'

/** The lifetime of a snapshot taken in flight or while waiting for a late pepper. */
export const SNAPSHOT_MS = 200

export function phaseOf(stage: ShownStage): Phase {
  if (stage === 'waiting' || stage === 'open' || stage === 'locked') return 'betting'
  return stage === 'flight' ? 'flight' : 'results'
}

/** Returns when a snapshot expires. */
export function snapshotExpiresAt(view: RoundView): number {
  const phase = phaseOf(view.stage)
  if (view.stage === 'open') return view.plan.betsCloseAt
  if (view.stage === 'locked' && view.asOf < view.takeoffAt) return view.takeoffAt
  if (phase === 'results' && view.result) return view.restsUntil ?? view.result.resultsUntil
  return view.asOf + SNAPSHOT_MS
}

/**
 * Returns the part of the public state that changes with the clock. In flight this is the state as of
 * the snapshot, so that a multiplier above the crash point is never shown.
 */
export function movingState(view: RoundView, now: number) {
  const phase = phaseOf(view.stage)
  const crash = view.result?.kind === 'settled' ? toMultiplier(view.result.crash) : null
  const endsAt = {
    betting: view.takeoffAt,
    flight: 0,
    results: view.result?.resultsUntil ?? 0,
  }
  return {
    roundId: view.plan.roundId,
    phase,
    msLeft: Math.max(0, endsAt[phase] - now),
    multiplier: phase === 'results' && crash !== null ? crash : toMultiplier(view.multiplier),
    crashPoint: phase === 'results' ? crash : null,
    serverTime: phase === 'flight' ? view.asOf : now,
  }
}

/** Returns the part of the public state that stays constant during a snapshot's lifetime. */
export function steadyState(snapshot: Snapshot, config: TableConfig) {
  return {
    ...plannedState(snapshot, config),
    history: snapshot.history.map(historyEntry),
    recentWins: snapshot.recentWins.map(winEntry),
    mode: snapshot.mode,
  }
}

/** Returns the constant part of the public state that comes from the round itself. */
export function plannedState({ plan, takeoffAt, fixedBets }: RoundView, config: TableConfig) {
  return {
    betsRoot: fixedBets?.betsRoot ?? null,
    betCount: fixedBets?.betCount ?? null,
    edgeBps: plan.edgeBps,
    seedHash: plan.seedHash,
    pepperSource: plan.pepperSource,
    betsCloseAt: plan.betsCloseAt,
    flightAt: takeoffAt,
    growthPerMs: GROWTH_PER_MS,
    config: {
      ...config,
      ...shownLimits(plan),
    },
  }
}

export function historyEntry({ roundId, crash }: Snapshot['history'][number]) {
  return { roundId, crash: toMultiplier(crash) }
}

export function winEntry(win: Win) {
  return {
    wallet: win.wallet,
    token: win.token,
    amount: win.amountWei,
    mult: toMultiplier(win.multiplier),
    payout: win.payoutWei,
  }
}
