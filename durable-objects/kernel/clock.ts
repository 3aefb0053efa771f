/** An object's clock: wall time in unix milliseconds that never goes back. */
export class Clock {
  #latest = 0

  /** Takes note of a time the object has written down: it is not to be earlier again. */
  notBefore(unixMs: number): void {
    this.#latest = Math.max(this.#latest, unixMs)
  }

  now(): number {
    this.#latest = Math.max(this.#latest, Date.now())
    return this.#latest
  }
}
