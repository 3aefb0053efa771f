/** The server's clock, as far as its answers have shown it. All times in milliseconds. */
export class ServerClock {
  #offsetMs = 0
  #bestRttMs = Infinity

  /** An answer that says what time it was while it was made: the quicker, the better known. */
  sampled(serverTime: number, askedAt: number, receivedAt: number): void {
    const rttMs = receivedAt - askedAt
    if (rttMs <= this.#bestRttMs) {
      this.#bestRttMs = rttMs
      this.#offsetMs = serverTime - (askedAt + receivedAt) / 2
    }
    this.told(serverTime, receivedAt)
    // Clocks drift apart: an old sample gives way to a slightly slower new one.
    this.#bestRttMs *= 1.05
  }

  /** News from a moment before it was received: the server's clock cannot be behind that. */
  told(serverTime: number, receivedAt: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, serverTime - receivedAt)
  }

  /** What it shows at a moment of this machine's clock. */
  at(time: number): number {
    return time + this.#offsetMs
  }
}

/** This machine's clock, which never jumps. */
export function localTime(): number {
  return performance.timeOrigin + performance.now()
}
