import type { Check } from '../fairness/check.ts'
import type { Breach } from '../transparency/follower.ts'
import type { LoggedRound } from './logged-round.ts'

/** Checks a round's entries. Entries without the fields of their kind fail, too. */
export function checksOf(check: () => Check[]): Check[] {
  try {
    return check()
  } catch {
    return [{ claim: "a round's entries have the published form", holds: false }]
  }
}

/** Returns the breach of the first check of a round that fails, or null. */
export function breachOf(
  round: LoggedRound,
  checks: Check[],
  evidence: object = {},
): Breach | null {
  const wrong = checks.filter(({ holds }) => !holds)
  const [first] = wrong
  if (!first) return null
  const finding = `not so in round ${round.plan.entry.id}${
    wrong.length > 1
      ? `, nor: ${wrong
          .slice(1)
          .map(({ claim }) => claim)
          .join('; ')}`
      : ''
  }`
  return { claim: first.claim, finding, evidence: { round, ...evidence } }
}
