import type { Edit } from '../simulation/world/bundle.ts'

/** The log takes the bets of each round only 15 seconds after their close, as in an outage that spares its readers. */
export const LATE_IN_LOG: Edit = [
  'durable-objects/crash-round/recipients.ts',
  'return this.#log([PLAN], ({ record, fixedBets }) =>',
  "if (this.#now() < this.#round().record.plan.betsCloseAt + 15_000) throw new Error('later')\n        return this.#log([PLAN], ({ record, fixedBets }) =>",
]
