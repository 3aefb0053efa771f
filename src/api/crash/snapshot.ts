import { loadConfig } from '../../config/load.ts'
import { mergeJson } from '../../core/json.ts'
import type { RoundNow } from '../../crash/due.ts'
import {
  movingState,
  phaseOf,
  SNAPSHOT_MS,
  snapshotExpiresAt,
  steadyState,
  type Snapshot,
} from '../../crash/state.ts'
import { crashTable, retried } from '../../objects.ts'
import { termsOf } from '../../vault/terms.ts'
import { currentConditions } from '../vault/conditions.ts'

/** A snapshot as this isolate keeps it, for as long as it may be shown. */
export interface KeptSnapshot {
  snapshot: Snapshot
  /** Between these two moments of this isolate's clock the snapshot was true. */
  askedAt: number
  receivedAt: number
  /** The part of the answer that stays the same, as the text of an object that is written once. */
  steadyJson: string
}

let kept: KeptSnapshot | null = null
/** When somebody of this isolate last set out to ask for a newer one. */
let askingSince = -Infinity

/** A request that was cancelled never says that it has stopped asking. */
const ASKING_MS = 1_000

/**
 * The public state of the table, at most 250 ms behind the round. Kept in the isolate because
 * everybody sees the same; it never holds what is not public yet.
 */
export async function currentSnapshot(env: Env): Promise<KeptSnapshot> {
  const now = Date.now()
  if (kept && mayShow(kept, now)) {
    const isAsking = now >= askingSince && now - askingSince < ASKING_MS
    if (!isStale(kept, now) || isAsking) return kept
  }
  askingSince = now
  try {
    const [snapshot, conditions] = await Promise.all([
      retried(async () => crashTable(env).snapshot()),
      currentConditions(env),
    ])
    const steadyJson = JSON.stringify(steadyState(snapshot, termsOf(loadConfig(env), conditions)))
    const fresh = { snapshot, askedAt: now, receivedAt: Date.now(), steadyJson }
    // A slower answer to an earlier question must not take the place of a newer one.
    const isLate = kept && mayShow(kept, fresh.receivedAt) && isOlder(snapshot, kept.snapshot)
    if (!kept || !isLate) kept = fresh
    return kept
  } finally {
    askingSince = -Infinity
  }
}

/** Whether a snapshot may be shown. A clock that has stepped back says nothing about its age. */
function mayShow({ snapshot, askedAt }: KeptSnapshot, now: number): boolean {
  return now >= askedAt && now - askedAt < snapshotExpiresAt(snapshot) - snapshot.asOf
}

/** Whether somebody should ask for a newer one, while everybody else is still shown this one. */
function isStale({ snapshot, askedAt }: KeptSnapshot, now: number): boolean {
  return phaseOf(snapshot.stage) === 'flight' && now - askedAt >= SNAPSHOT_MS / 2
}

/** The round this isolate saw last, however long ago; null if it has seen none. */
export function lastSeenRoundId(): number | null {
  return kept?.snapshot.plan.roundId ?? null
}

/** Each round has a clock of its own: times compare within one round only. */
function isOlder(a: Snapshot, b: Snapshot): boolean {
  const rounds = a.plan.roundId - b.plan.roundId
  return rounds === 0 ? a.asOf < b.asOf : rounds < 0
}

/** The round's clock at a moment of this isolate's, not ahead of it: the two need not agree. */
export function roundTime({ snapshot, receivedAt }: KeptSnapshot, now: number): number {
  return snapshot.asOf + Math.max(0, now - receivedAt)
}

let written: { current: KeptSnapshot; at: number; json: string } | null = null

/**
 * The public state as JSON text. Written once a millisecond: everybody who asks in the same one is
 * told the same.
 */
export function stateJson(current: KeptSnapshot, now: number): string {
  if (written?.current === current && written.at === now) return written.json
  const moving = JSON.stringify(movingState(current.snapshot, roundTime(current, now)))
  const json = mergeJson(moving, current.steadyJson)
  written = { current, at: now, json }
  return json
}

/** Returns the facts about the round that a ledger needs. */
export function roundNow({ snapshot }: KeptSnapshot): RoundNow {
  const { plan, stage, multiplier } = snapshot
  return { roundId: plan.roundId, phase: phaseOf(stage), multiplier }
}

let keptDisclosure: { moment: string; json: string } | null = null

/**
 * The disclosure of the newest rounds, as JSON text. It changes when a round ends, so it is asked
 * for once in each phase of a round and kept by this isolate for the rest of it.
 */
export async function disclosureJson(env: Env): Promise<string> {
  const { snapshot } = await currentSnapshot(env)
  const moment = `${snapshot.plan.seedHash} ${phaseOf(snapshot.stage)}`
  if (keptDisclosure?.moment === moment) return keptDisclosure.json
  const json = JSON.stringify(await retried(async () => crashTable(env).disclosure()))
  keptDisclosure = { moment, json }
  return json
}
