import { retried } from '../../calls/call.ts'
import { currentConditions } from '../../calls/chain-conditions.ts'
import { crashTable } from '../../calls/objects.ts'
import { currentTerms } from '../../calls/terms.ts'
import { loadConfig } from '../../config/load.ts'
import { withTerms } from '../../config/set-terms.ts'
import { isWithin } from '../../core/age.ts'
import { mergeJson } from '../../core/json.ts'
import type { RoundNow } from '../../crash/due.ts'
import {
  historyEntry,
  movingState,
  phaseOf,
  SNAPSHOT_MS,
  snapshotExpiresAt,
  steadyState,
  type Snapshot,
} from '../../crash/state.ts'
import { tableConfigOf } from '../../vault/table-config.ts'
import { BriefCache } from '../http/brief-cache.ts'

/** A snapshot in this isolate's cache. */
export interface CachedSnapshot {
  snapshot: Snapshot
  /** The snapshot was taken between these two times of this isolate's clock, in unix milliseconds. */
  askedAt: number
  receivedAt: number
  /** The part of the answer that doesn't change while the snapshot is cached, as JSON text. */
  steadyJson: string
}

/** A table that has failed is asked again at once: bets need it. */
const seen = new BriefCache<CachedSnapshot>(
  ({ value }, now, isAsking) => mayShow(value, now) && (isAsking || !isStale(value, now)),
  { askingMs: 500, faultMs: 0 },
)

/**
 * Returns the public state of the table, at most 250 ms behind the round. All callers see the same state,
 * so the isolate caches it. It never contains anything that isn't public yet.
 */
export function currentSnapshot(env: Env): Promise<CachedSnapshot> {
  return seen.get('', () => fetchSnapshot(env))
}

async function fetchSnapshot(env: Env): Promise<CachedSnapshot> {
  // Read first, because they may take a second, and the table changes in that time.
  const conditions = await currentConditions(env)
  const askedAt = Date.now()
  const snapshot = await retried(async () => crashTable(env).snapshot())
  const settings = withTerms(loadConfig(env), snapshot.setTerms)
  const config = tableConfigOf(settings, conditions, currentTerms(settings))
  const steadyJson = JSON.stringify(steadyState(snapshot, config))
  const fresh = { snapshot, askedAt, receivedAt: Date.now(), steadyJson }
  // A slow answer must not replace a newer snapshot.
  const kept = seen.latest
  const isLate = kept && mayShow(kept, fresh.receivedAt) && isOlder(snapshot, kept.snapshot)
  return isLate ? kept : fresh
}

/** Returns whether a snapshot may still be shown. If the clock has stepped back, its age is unknown. */
export function mayShow({ snapshot, askedAt }: CachedSnapshot, now: number): boolean {
  return isWithin(snapshotExpiresAt(snapshot) - snapshot.asOf, askedAt, now)
}

/** Returns whether one request should fetch a newer snapshot while the others still get this one. */
function isStale({ snapshot, askedAt }: CachedSnapshot, now: number): boolean {
  return phaseOf(snapshot.stage) === 'flight' && now - askedAt >= SNAPSHOT_MS / 2
}

/** Returns the latest round as this isolate has seen it, at any time; null if none. */
export function lastSeenRound(): Snapshot | null {
  return seen.latest?.snapshot ?? null
}

/** In this last time before take-off, answers aren't repeated from memory, because clocks may be corrected. */
const TAKEOFF_MARGIN_MS = 1_000

/** Returns whether the latest round that this isolate has seen can't have taken off yet, by the round's own clock. */
export function isBeforeTakeoff(): boolean {
  const { latest } = seen
  if (!latest || phaseOf(latest.snapshot.stage) !== 'betting') return false
  const { takeoffAt, asOf } = latest.snapshot
  // The snapshot may have been taken as soon as it was asked for.
  return isWithin(takeoffAt - TAKEOFF_MARGIN_MS - asOf, latest.askedAt, Date.now())
}

/** Each round has its own clock, so times are comparable within a round only. */
function isOlder(a: Snapshot, b: Snapshot): boolean {
  const rounds = a.plan.roundId - b.plan.roundId
  return rounds === 0 ? a.asOf < b.asOf : rounds < 0
}

/** Converts a time of this isolate's clock to the round's clock, which may differ. Never runs ahead of it. */
export function roundTime({ snapshot, receivedAt }: CachedSnapshot, now: number): number {
  return snapshot.asOf + Math.max(0, now - receivedAt)
}

let written: { current: CachedSnapshot; at: number; json: string } | null = null

/** Returns the public state as JSON text, written once per millisecond for all callers. */
export function stateJson(current: CachedSnapshot, now: number): string {
  if (written?.current === current && written.at === now) return written.json
  const moving = JSON.stringify(movingState(current.snapshot, roundTime(current, now)))
  const json = mergeJson(moving, current.steadyJson)
  written = { current, at: now, json }
  return json
}

/** Returns the facts about the round that a wallet's ledger needs. */
export function roundNow({ snapshot }: CachedSnapshot, wallet: string): RoundNow {
  const { plan, stage, multiplier, wins, decidedTokens } = snapshot
  const won = wins.filter((win) => win.wallet === wallet).map(({ token }) => token)
  return {
    roundId: plan.roundId,
    phase: phaseOf(stage),
    multiplier,
    decidedTokens: [...decidedTokens, ...won],
  }
}

/** JSON text of something that changes when a round ends. */
interface CachedText {
  moment: string
  json: string
}

let keptDisclosure: CachedText | null = null
let keptHistory: CachedText | null = null

/** Returns the disclosure of the newest rounds, as JSON text. */
export async function disclosureJson(env: Env): Promise<string> {
  keptDisclosure = await oncePerPhase(env, keptDisclosure, () => crashTable(env).disclosure())
  return keptDisclosure.json
}

/** Returns the results of the newest settled rounds, as JSON text. */
export async function historyJson(env: Env): Promise<string> {
  keptHistory = await oncePerPhase(env, keptHistory, async () => {
    const history = await crashTable(env).newestRounds()
    return { ok: true, history: history.map(historyEntry) }
  })
  return keptHistory.json
}

/** Reads something that changes when a round ends: the isolate asks for it once per phase. */
async function oncePerPhase(
  env: Env,
  known: CachedText | null,
  read: () => Promise<object>,
): Promise<CachedText> {
  const { snapshot } = await currentSnapshot(env)
  const moment = `${snapshot.plan.seedHash} ${phaseOf(snapshot.stage)}`
  return known?.moment === moment ? known : { moment, json: JSON.stringify(await retried(read)) }
}
