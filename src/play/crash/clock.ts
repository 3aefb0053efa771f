/** Estimates the server's clock from its answers. All times in milliseconds. */
export class ServerClock {
  /** Null until the server has told its time. */
  #offsetMs: number | null = null
  #bestRttMs = Infinity

  /** Takes an answer with the server's time. The faster the answer, the better the estimate. */
  sampled(serverTime: number, askedAt: number, receivedAt: number): void {
    const rttMs = receivedAt - askedAt
    if (rttMs <= this.#bestRttMs) {
      this.#bestRttMs = rttMs
      this.#offsetMs = serverTime - (askedAt + receivedAt) / 2
    }
    this.told(serverTime, receivedAt)
    // Clocks drift: a slightly slower new sample replaces an old one.
    this.#bestRttMs *= 1.05
  }

  /** Takes a message with the server's time. The server's clock cannot be behind it. */
  told(serverTime: number, receivedAt: number): void {
    this.#offsetMs = Math.max(this.#offsetMs ?? -Infinity, serverTime - receivedAt)
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
