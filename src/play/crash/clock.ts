/** The most by which a device's clock may gain on the server's: NTP corrects no more than 500 ppm. */
const DRIFT = 500e-6

/** The slowest answer that may replace a faster one of long ago. An estimate by it is wrong by half as much at most. */
const FAST_MS = 150

/** Estimates the server's clock from its answers. All times in milliseconds. */
export class ServerClock {
  /** Null until the server has told its time. */
  #offsetMs: number | null = null
  #bestRttMs = Infinity
  #heardAt = 0

  /**
   * Takes an answer with the server's time. The faster the answer, the better the estimate. A slower one only corrects
   * an estimate that is certainly ahead.
   */
  sampled(serverTime: number, askedAt: number, receivedAt: number): void {
    this.told(serverTime, receivedAt)
    const rttMs = receivedAt - askedAt
    if (rttMs > this.#bestRttMs) {
      this.#offsetMs = Math.min(this.at(0), serverTime - askedAt)
      return
    }
    this.#bestRttMs = rttMs
    this.#offsetMs = serverTime - (askedAt + receivedAt) / 2
  }

  /**
   * Takes a message with the server's time. The server's clock cannot be behind it, and the estimate sinks by what this
   * device's clock may have gained since the last one.
   */
  told(serverTime: number, receivedAt: number): void {
    const driftMs = DRIFT * (receivedAt - this.#heardAt)
    this.#heardAt = receivedAt
    // A sample is wrong by up to half of its round trip, so a slower one may be better than an old one.
    const agedMs = Math.min(this.#bestRttMs + 2 * driftMs, FAST_MS)
    this.#bestRttMs = Math.max(this.#bestRttMs, agedMs)
    this.#offsetMs = Math.max((this.#offsetMs ?? -Infinity) - driftMs, serverTime - receivedAt)
  }

  /** Returns the server's time at a time of this machine's clock. */
  at(time: number): number {
    return time + (this.#offsetMs ?? 0)
  }
}

/** Returns this machine's time by a clock that never jumps. */
export function localTime(): number {
  return performance.timeOrigin + performance.now()
}
