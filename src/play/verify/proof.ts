import type { Check } from '../../fairness/check.ts'

/** A value that was computed on this machine, and from what. */
export interface Step {
  name: string
  value: string
}

/** Everything that an outcome follows from, computed anew. */
export interface Proof {
  title: string
  steps: Step[]
  checks: Check[]
  /** What this does not show, or when more can be shown. */
  note?: string
}
