/** An object's clock: wall time in unix milliseconds that never goes back. */
export class Clock {
  #latest: number

  /** @param latest the latest time the object has written down */
  constructor(latest = 0) {
    this.#latest = latest
  }

  now(): number {
    this.#latest = Math.max(this.#latest, Date.now())
    return this.#latest
  }
}
