import type { Step } from '../fairness/check.ts'
import { toMultiplier, type Hundredths } from '../money/multiplier.ts'
import { FLOAT_STEPS, RandomStream, type Draw } from './stream.ts'

/** Shows the first floats of a play's stream. */
export function floatStep(draw: Draw, count: number): Step {
  const stream = new RandomStream(draw)
  const floats = Array.from({ length: count }, () =>
    (stream.next(FLOAT_STEPS) / FLOAT_STEPS).toFixed(4),
  )
  return { name: 'Floats, of four bytes each', value: floats.join(', ') }
}

/** Shows draws without replacement. `from` names the set drawn from: "25 tiles". */
export function drawnStep(drawn: number[], from: string): Step {
  return {
    name: `Each takes the one at ⌊float · those left⌋ away from ${from}`,
    value: drawn.join(', '),
  }
}

/** Shows the pay tables' payout for the outcome, in the version used for the play. */
export function tableStep(version: number, pays: Hundredths | undefined): Step {
  return {
    name: `What the pay tables, version ${version}, pay for it`,
    value: `${toMultiplier(pays ?? 0)}x`,
  }
}
