import type { RoundNow } from '../ledger/me.ts'
import { crashTable, retried } from '../objects.ts'
import { movingState, phaseOf, snapshotExpiresAt, steadyState, type Snapshot } from './state.ts'

/** A snapshot as this isolate keeps it, for as long as it may be shown. */
export interface KeptSnapshot {
  snapshot: Snapshot
  /** When it was asked for, by this isolate's clock: it may be younger, never older. */
  askedAt: number
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
  if (kept && roundTime(kept, askedAt) < snapshotExpiresAt(kept.snapshot)) return kept
  const snapshot = await retried(() => crashTable(env).snapshot())
  const fresh = {
    snapshot,
    askedAt,
    steadyJson: JSON.stringify(steadyState(snapshot, depositFeeBps)),
  }
  // A slower answer to an earlier question must not take the place of a newer one.
  if (!kept || isNewer(snapshot, kept.snapshot)) kept = fresh
  return fresh
}

function isNewer(a: Snapshot, b: Snapshot): boolean {
  return a.plan.roundId > b.plan.roundId || (a.plan.roundId === b.plan.roundId && a.asOf >= b.asOf)
}

/** The round's clock at a moment of this isolate's: the two need not agree. */
export function roundTime({ snapshot, askedAt }: KeptSnapshot, now: number): number {
  return snapshot.asOf + Math.max(0, now - askedAt)
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
