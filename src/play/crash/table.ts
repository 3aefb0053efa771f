import { multiplierAt } from '../../crash/curve.ts'
import type { movingState, steadyState } from '../../crash/state.ts'
import { MAX_MULTIPLIER, toHundredths, type Hundredths } from '../../money/multiplier.ts'

/** The public state: the answer of GET /api/crash?action=watch. */
export type TableState = ReturnType<typeof movingState> & ReturnType<typeof steadyState>

/** Returns how long the flight has lasted, in milliseconds. */
export function flownMs({ flightAt }: TableState, serverNow: number): number {
  return Math.max(0, serverNow - flightAt)
}

/** Returns the multiplier by the server's clock, or the crash point once it is known. */
export function multiplierNow(table: TableState, serverNow: number): Hundredths {
  const told = toHundredths(table.multiplier)
  if (table.phase !== 'flight') return told
  const flown = multiplierAt(flownMs(table, serverNow), table.growthPerMs)
  return Math.max(told, Math.min(flown, MAX_MULTIPLIER))
}

/** Whether the round ended without a crash, so that every stake was refunded. */
export function isVoided({ phase, crashPoint }: TableState): boolean {
  return phase === 'results' && crashPoint === null
}

/**
 * Names the terms that the player of an automatic or queued bet agrees to. The hash is of the terms now in force; a
 * round keeps the edge it was opened with.
 */
export function termsOf({ edgeBps, config }: TableState): string {
  return `${config.terms.hash} ${edgeBps}`
}

/** Whether a bet can still enter the current round. */
export function isBetting(table: TableState, now: number): boolean {
  return table.phase === 'betting' && now < table.betsCloseAt
}
