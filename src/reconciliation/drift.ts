import { TOKENS, type PerToken, type Token } from '../money/token.ts'
import type { Drift, TokenReconciliation } from './reconcile.ts'

/** A drift is reported once its token has had one for this long. Positions and messages are late for less. */
export const DRIFT_STAYS_MS = 600_000

/** A drift that was found, and the times between which it had this amount. In unix milliseconds. */
export interface StoredDrift extends Drift {
  since: number
  /** Null while it has it. */
  until: number | null
}

/** Since when a token has had a drift in every minute. */
export interface Drifting {
  token: Token
  since: number
  /** The sum of the drifts, without their signs, when withdrawals were last paused; 0 before that. */
  pausedWei: bigint
}

/** A reconciliation, as it is kept until the next one. */
export interface StoredReconciliation {
  /** In unix milliseconds. */
  at: number
  block: number
  blockHash: string
  books: PerToken<TokenReconciliation>
}

/** The newest reconciliation, and the current and past drifts. */
export interface DriftRecord extends StoredReconciliation {
  drifts: StoredDrift[]
  /** Newest first. */
  ended: StoredDrift[]
  drifting: Drifting[]
}

/** A reconciliation's changes to the stored drifts. */
export interface DriftChanges {
  ended: StoredDrift[]
  began: Drift[]
  drifting: Drifting[]
}

/** Compares the drifts that were found with those that are kept and have not ended. */
export function driftChanges(
  kept: readonly StoredDrift[],
  before: readonly Drifting[],
  found: readonly Drift[],
  now: number,
): DriftChanges {
  return {
    ended: kept.filter((drift) => !found.some((other) => isSame(drift, other))),
    began: found.filter((drift) => !kept.some((other) => isSame(drift, other))),
    drifting: TOKENS.filter((token) => found.some((drift) => drift.token === token)).map(
      (token) =>
        before.find((drifting) => drifting.token === token) ?? { token, since: now, pausedWei: 0n },
    ),
  }
}

/** Returns whether a token's drift has stayed long enough to be reported. */
export function hasStayed({ since }: Drifting, now: number): boolean {
  return now - since >= DRIFT_STAYS_MS
}

/**
 * Returns whether a lasting drift must pause withdrawals: once, and again if it has grown since, so that only a new
 * drift overrules an operator who opens them again.
 */
export function isPauseDue(drifting: Drifting, drifts: readonly Drift[], now: number): boolean {
  return hasStayed(drifting, now) && sizeOf(drifting.token, drifts) > drifting.pausedWei
}

/** Returns the sum of a token's drifts without their signs, in smallest units: opposite drifts don't cancel out. */
export function sizeOf(token: Token, drifts: readonly Drift[]): bigint {
  return drifts
    .filter((drift) => drift.token === token)
    .reduce((sum, { amountWei }) => sum + (amountWei < 0n ? -amountWei : amountWei), 0n)
}

function isSame(a: Drift, b: Drift): boolean {
  return a.token === b.token && a.place === b.place && a.amountWei === b.amountWei
}
