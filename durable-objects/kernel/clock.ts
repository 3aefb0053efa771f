/** An object's clock: wall time in unix milliseconds, never decreasing. */
export class Clock {
  #latest = 0

  /** Moves the clock up to a time that the object has stored, so that it never reads earlier. */
  notBefore(unixMs: number): void {
    this.#latest = Math.max(this.#latest, unixMs)
  }

  now(): number {
    this.#latest = Math.max(this.#latest, Date.now())
    return this.#latest
  }
}
