import { perToken } from '../money/token.ts'
import { GROWTH_PER_MS } from './curve.ts'
import { toMultiplier, type Hundredths } from '../money/multiplier.ts'
import type { RoundPlan, Stage } from './plan.ts'
import type { RoundResult, SettledRound, Win } from './result.ts'
import type { Terms } from '../vault/terms.ts'

/** What a round says of itself to the outside: never its seed or crash point before its end. */
export interface RoundView {
  plan: RoundPlan
  stage: Stage
  /** When this was true, by the round's own clock. */
  asOf: number
  /** Planned take-off, or the actual one once it is known. */
  takeoffAt: number
  multiplier: Hundredths
  /** The newest cash-outs of this round. */
  wins: Win[]
  /** Null until the round has recorded its end. */
  result: RoundResult | null
}

/** What a round tells the live stream: how it stands, and its cash-outs since a count of them. */
export interface RoundReport extends RoundView {
  /** In the order they were decided; of many the newest. */
  freshWins: Win[]
  /** How many there have been in the whole round. */
  winCount: number
}

/** The whole public state, as an isolate keeps it for a moment. Holds nothing that is secret. */
export interface Snapshot extends RoundView {
  /** Newest first. */
  history: Pick<SettledRound, 'roundId' | 'crash'>[]
  recentWins: Win[]
}

export type Phase = 'betting' | 'flight' | 'results'

/** How long a snapshot taken in flight, or while a late pepper is awaited, may be shown. */
export const SNAPSHOT_MS = 200

export function phaseOf(stage: Stage): Phase {
  if (stage === 'open' || stage === 'locked') return 'betting'
  return stage === 'flight' ? 'flight' : 'results'
}

/** The moment from which a snapshot must not be shown any more. */
export function snapshotExpiresAt(view: RoundView): number {
  const phase = phaseOf(view.stage)
  if (phase === 'betting' && view.asOf < view.takeoffAt) return view.takeoffAt
  if (phase === 'results' && view.result) return view.result.resultsUntil
  return view.asOf + SNAPSHOT_MS
}

/**
 * The part of the public state that moves with the clock. In flight it is the state as of the
 * snapshot, so that a multiplier above the crash point is never shown.
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

/** The part of the public state that stays as it is for as long as the snapshot lives. */
export function steadyState(snapshot: Snapshot, terms: Terms) {
  return {
    ...plannedState(snapshot, terms),
    history: snapshot.history.map(historyEntry),
    recentWins: snapshot.recentWins.map(winEntry),
  }
}

/** The part of it that the round brings along. */
export function plannedState({ plan, takeoffAt }: RoundView, terms: Terms) {
  return {
    edgeBps: plan.edgeBps,
    seedHash: plan.seedHash,
    pepperSource: plan.pepperSource,
    betsCloseAt: plan.betsCloseAt,
    flightAt: takeoffAt,
    growthPerMs: GROWTH_PER_MS,
    config: {
      bounds: perToken((token) => ({ min: plan.limits[token].min, max: plan.limits[token].max })),
      ...terms,
      maxPayout: perToken((token) => plan.limits[token].maxPayout),
      maxRoundPayout: perToken((token) => plan.limits[token].maxRoundPayout),
      minForcedMultiplier: toMultiplier(plan.minForcedMultiplier),
      bankroll: plan.bankroll ?? null,
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
