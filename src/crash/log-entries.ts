import { toHundredths, toMultiplier } from '../money/multiplier.ts'
import type { LogEntry } from '../transparency/entry.ts'
import type { FixedBets } from './bets-root.ts'
import type { RoundPlan } from './plan.ts'
import type { RoundResult, SettledRound } from './result.ts'

/** The public log's entries of a round. A round's number is the id of each of its entries. */

/** Returns the entry of a plan. */
export function planEntry(plan: RoundPlan): LogEntry {
  const { roundId, openedAt, pepperSource, limits, bankroll, ...fixed } = plan
  return {
    kind: 'plan',
    id: String(roundId),
    at: openedAt,
    roundId,
    openedAt,
    ...fixed,
    pepperSource: { ...pepperSource },
    limits: { ETH: { ...limits.ETH }, USDG: { ...limits.USDG } },
    ...(bankroll && { bankroll: { ...bankroll, amounts: { ...bankroll.amounts } } }),
  }
}

/** Returns the plan of an entry. */
export function loggedPlan({ kind: _kind, id: _id, at: _at, ...plan }: LogEntry): RoundPlan {
  // Entries of plans are written by the function above only.
  return plan as unknown as RoundPlan
}

/** Returns the entry of the bets, which are fixed when they close. */
export function betsEntry({ roundId, betsCloseAt }: RoundPlan, fixed: FixedBets): LogEntry {
  return { kind: 'bets', id: String(roundId), at: betsCloseAt, ...fixed }
}

/** Returns the result of a round, from the entries of its plan and its end or void. */
export function loggedResult(planned: LogEntry, end: LogEntry): RoundResult {
  const plan = loggedPlan(planned)
  const { roundId, seedHash, pepperSource, edgeBps, openedAt, betsCloseAt } = plan
  // Entries of ends are written by the function below only.
  const { at: endedAt, seed, betCount, reason, ...settled } = end as unknown as LoggedEnd
  const ended = {
    roundId,
    seedHash,
    seed,
    pepperSource,
    edgeBps,
    betCount,
    openedAt,
    betsCloseAt,
    endedAt,
  }
  if (end.kind === 'void') return { ...ended, kind: 'voided', resultsUntil: endedAt, reason }
  const { pepper, signature, takeoffAt } = settled
  const crash = toHundredths(settled.crash)
  const resultsUntil = endedAt + plan.resultsMs
  return { ...ended, kind: 'settled', pepper, signature, crash, takeoffAt, resultsUntil }
}

/** The fields of an end, with its crash point as on the wire, and of a void. */
type LoggedEnd = Pick<
  SettledRound,
  'seed' | 'betCount' | 'pepper' | 'signature' | 'crash' | 'takeoffAt'
> & { at: number; reason: string }

/** Returns the entry of the end or the void of a round. */
export function endEntry(result: RoundResult, { betsRoot, betCount }: FixedBets): LogEntry {
  const { roundId, endedAt: at, seed } = result
  const ended = { id: String(roundId), at, seed, betsRoot, betCount }
  if (result.kind === 'voided') return { kind: 'void', ...ended, reason: result.reason }
  const { pepper, signature, crash, takeoffAt } = result
  return { kind: 'end', ...ended, pepper, signature, crash: toMultiplier(crash), takeoffAt }
}
