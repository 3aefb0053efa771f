import type { Check } from '../fairness/check.ts'

/** Something in an export that is not as it must be. */
export interface Finding {
  /** What it is about: "round 12". */
  where: string
  problem: string
}

/** Returns a finding for each check that does not hold. */
export function findingsOf(where: string, checks: readonly Check[]): Finding[] {
  return checks
    .filter(({ holds }) => !holds)
    .map(({ claim }) => ({ where, problem: `this does not hold: ${claim}` }))
}
