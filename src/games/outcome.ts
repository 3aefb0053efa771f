import type { Rational } from '../money/rational.ts'

/** What a play came to: the multiplier that is paid (zero when lost) and what there is to see. */
export interface Outcome<Meta> {
  multiplier: Rational
  meta: Meta
}
