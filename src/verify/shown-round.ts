import { canonicalJson } from '../core/canonical-json.ts'
import type { Check } from '../fairness/check.ts'
import type { LoggedRound } from './logged-round.ts'

/** What the table shows of its current round to a caller. */
export interface ShownRound {
  roundId: number
  seedHash: string
  pepperSource: object
  betsCloseAt: number
  edgeBps: number
  /** Null until bets have closed. */
  betsRoot: string | null
  betCount: number | null
}

const PLANNED = ['seedHash', 'pepperSource', 'betsCloseAt', 'edgeBps'] as const
const FIXED = ['betsRoot', 'betCount'] as const

/** Checks that the table shows a round as it was logged. The house may answer each caller differently. */
export function verifyShown(shown: ShownRound, { plan, bets }: LoggedRound): Check[] {
  const same = (name: keyof ShownRound, logged: unknown) =>
    canonicalJson(shown[name] ?? null) === canonicalJson(logged ?? null)
  return [
    {
      claim:
        'the table shows the seed hash, the source of the pepper, the close and the edge that were logged',
      holds: PLANNED.every((name) => same(name, plan.entry[name])),
    },
    {
      claim: 'the table shows the root and the number of bets that were logged',
      // The table has the root at once, the log within a second.
      holds:
        !bets || shown.betsRoot === null || FIXED.every((name) => same(name, bets.entry[name])),
    },
  ]
}
