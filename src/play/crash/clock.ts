/** The most by which a device's clock may gain on the server's: NTP corrects no more than 500 ppm. */
const DRIFT = 500e-6

/** Estimates the server's clock from its answers. All times in milliseconds. */
export class ServerClock {
  /** Null until the server has told its time. */
  #offsetMs: number | null = null
  #bestRttMs = Infinity
  #heardAt = 0

  /** Takes an answer with the server's time. The faster the answer, the better the estimate. */
  sampled(serverTime: number, askedAt: number, receivedAt: number): void {
    this.told(serverTime, receivedAt)
    const rttMs = receivedAt - askedAt
    if (rttMs > this.#bestRttMs) return
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
    // A sample is wrong by up to half of its round trip.
    this.#bestRttMs += 2 * driftMs
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
