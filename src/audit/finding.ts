import type { Check } from '../fairness/check.ts'

/** A fault in an export. */
export interface Finding {
  /** Its subject: "round 12". */
  where: string
  problem: string
}

/** Returns a finding for each check that does not hold. */
export function findingsOf(where: string, checks: readonly Check[]): Finding[] {
  return checks
    .filter(({ holds }) => !holds)
    .map(({ claim }) => ({ where, problem: `this does not hold: ${claim}` }))
}
