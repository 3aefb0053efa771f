import type { RoundNow } from '../ledger/me.ts'
import { crashTable, retried } from '../objects.ts'
import { movingState, phaseOf, snapshotExpiresAt, steadyState, type Snapshot } from './state.ts'

/** A snapshot as this isolate keeps it, for as long as it may be shown. */
export interface KeptSnapshot {
  snapshot: Snapshot
  /** Between these two moments of this isolate's clock the snapshot was true. */
  askedAt: number
  receivedAt: number
  /** What stays the same in the answer, written out once. */
  steadyJson: string
}

let kept: KeptSnapshot | null = null

/**
 * The public state of the table, at most 250 ms behind the round. Kept in the isolate because
 * everybody sees the same; it never holds what is not public yet.
 */
export async function currentSnapshot(env: Env, depositFeeBps: number): Promise<KeptSnapshot> {
  const askedAt = Date.now()
  if (kept && askedAt - kept.askedAt < lifetimeOf(kept.snapshot)) return kept
  const snapshot = await retried(() => crashTable(env).snapshot())
  const fresh = {
    snapshot,
    askedAt,
    receivedAt: Date.now(),
    steadyJson: JSON.stringify(steadyState(snapshot, depositFeeBps)),
  }
  // A slower answer to an earlier question must not take the place of a newer one.
  if (!kept || isNewer(snapshot, kept.snapshot)) kept = fresh
  return fresh
}

function isNewer(a: Snapshot, b: Snapshot): boolean {
  return a.plan.roundId > b.plan.roundId || (a.plan.roundId === b.plan.roundId && a.asOf >= b.asOf)
}

function lifetimeOf(snapshot: Snapshot): number {
  return snapshotExpiresAt(snapshot) - snapshot.asOf
}

/** The round's clock at a moment of this isolate's, not ahead of it: the two need not agree. */
export function roundTime({ snapshot, receivedAt }: KeptSnapshot, now: number): number {
  return snapshot.asOf + Math.max(0, now - receivedAt)
}

/** The public state as JSON text, left open at its end so that more fields can follow. */
export function stateJson(current: KeptSnapshot, now: number): string {
  const moving = JSON.stringify(movingState(current.snapshot, roundTime(current, now)))
  return `${moving.slice(0, -1)},${current.steadyJson.slice(1, -1)}`
}

/** What a ledger is told of the round. */
export function roundNow({ snapshot }: KeptSnapshot): RoundNow {
  const { plan, stage, multiplier } = snapshot
  return { roundId: plan.roundId, phase: phaseOf(stage), multiplier }
}
