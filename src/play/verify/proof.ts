import type { Check, Step } from '../../fairness/check.ts'

/** Everything that an outcome follows from, computed anew. */
export interface Proof {
  title: string
  steps: Step[]
  checks: Check[]
  /** What this does not show, or when more can be shown. */
  note?: string
}
