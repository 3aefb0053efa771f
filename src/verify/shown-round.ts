import { canonicalJson } from '../core/canonical-json.ts'
import { loggedPlan } from '../crash/log-entries.ts'
import { shownLimits, type ShownLimits } from '../crash/plan.ts'
import type { Check } from '../fairness/check.ts'
import type { LoggedRound } from './logged-round.ts'

/** The table's view of its current round for a caller. */
export interface ShownRound {
  roundId: number
  seedHash: string
  pepperSource: object
  betsCloseAt: number
  edgeBps: number
  /** Null until bets have closed. */
  betsRoot: string | null
  betCount: number | null
  config: ShownLimits
}

const PLANNED = ['seedHash', 'pepperSource', 'betsCloseAt', 'edgeBps'] as const
const LIMITS = ['bounds', 'maxPayout', 'maxRoundPayout', 'minForcedMultiplier', 'bankroll'] as const
const FIXED = ['betsRoot', 'betCount'] as const

/** Checks that the table shows a round as it was logged. The house may answer each caller differently. */
export function verifyShown(shown: ShownRound, { plan, bets }: LoggedRound): Check[] {
  const planned = loggedPlan(plan.entry)
  return [
    {
      claim:
        'the table shows the seed hash, the source of the pepper, the close and the edge that were logged',
      holds: PLANNED.every((name) => isSame(shown[name], planned[name])),
    },
    {
      claim: 'the table shows the limits of stakes and payouts that were logged',
      holds: LIMITS.every((name) => isSame(shown.config[name], shownLimits(planned)[name])),
    },
    {
      claim: 'the table shows the root and the number of bets that were logged',
      // The table has the root at once, the log within a second.
      holds:
        !bets ||
        shown.betsRoot === null ||
        FIXED.every((name) => isSame(shown[name], bets.entry[name])),
    },
  ]
}

function isSame(shown: unknown, logged: unknown): boolean {
  return canonicalJson(shown ?? null) === canonicalJson(logged ?? null)
}
