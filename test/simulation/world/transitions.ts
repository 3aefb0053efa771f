/** Times that lie further ahead are no target yet. In milliseconds. */
const HORIZON_MS = 60_000

/**
 * The times at which the service plans to change: the close of bets, take-off, crash, alarms. Faults and
 * players aim at them, because most orders of events that matter happen there.
 */
export class Transitions {
  #times: number[] = []

  /** @param at in true unix milliseconds */
  plan(at: number): void {
    if (!this.#times.includes(at)) this.#times.push(at)
  }

  /** Returns the planned times from now on, soonest first. */
  upcoming(now: number): number[] {
    this.#times = this.#times.filter((at) => at >= now).toSorted((a, b) => a - b)
    return this.#times.filter((at) => at <= now + HORIZON_MS)
  }
}
