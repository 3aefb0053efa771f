import type { Check, Step } from '../../fairness/check.ts'

/** The recomputation of a result. */
export interface Proof {
  title: string
  steps: Step[]
  checks: Check[]
  /** The gaps in the proof, or when it will cover more. */
  note?: string
}
