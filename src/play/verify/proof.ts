import type { Check, Step } from '../../fairness/check.ts'

/** The recomputation of a result. */
export interface Proof {
  title: string
  steps: Step[]
  checks: Check[]
  /** What the proof does not cover, or when it will cover more. */
  note?: string
}
