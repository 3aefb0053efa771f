/** Times that lie further ahead are no target yet. In milliseconds. */
const HORIZON_MS = 60_000

/**
 * The times at which the service plans to change: the close of bets, take-off, crash, alarms. Faults and
 * players aim at them, because most orders of events that matter happen there.
 */
export class Transitions {
  #times: number[] = []
  readonly #rare = new Set<number>()

  /**
   * @param at in true unix milliseconds
   * @param isRare whether random aim would seldom pick it among the many others
   */
  plan(at: number, isRare = false): void {
    if (!this.#times.includes(at)) this.#times.push(at)
    if (isRare) this.#rare.add(at)
  }

  /** Returns the planned times from now on, soonest first. */
  upcoming(now: number): number[] {
    this.#times = this.#times.filter((at) => at >= now).toSorted((a, b) => a - b)
    return this.#times.filter((at) => at <= now + HORIZON_MS)
  }

  /** Returns the rare ones among some planned times. */
  rareOf(times: readonly number[]): number[] {
    return times.filter((at) => this.#rare.has(at))
  }
}
