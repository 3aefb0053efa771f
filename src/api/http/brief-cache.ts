/** An isolate's copy of one value that is the same for every caller, so that callers can't make its source work. */
export class BriefCache<T> {
  readonly #keptMs: number
  #kept: { key: string; value: T; askedAt: number } | null = null
  /** Whether a request asks for a newer value. It stays true if that request was cancelled. */
  #isAsking = false
  /** Reads are numbered as they begin. Those up to `#settled` are older than the copy, or than `forget`. */
  #begun = 0
  #settled = 0

  /** @param keptMs how long a value is used; twice as long while another request reads a newer one */
  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  /** Returns the value under a key, and reads it if the copy is too old. @throws what `read` throws */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const askedAt = Date.now()
    const kept = this.#kept?.key === key ? this.#kept : null
    const ageMs = kept && askedAt >= kept.askedAt ? askedAt - kept.askedAt : Infinity
    // A promise of another request can't be awaited, so without a copy each request asks.
    if (kept && ageMs < (this.#isAsking ? 2 : 1) * this.#keptMs) return kept.value
    this.#isAsking = true
    const number = ++this.#begun
    try {
      const value = await read()
      if (number > this.#settled) {
        this.#settled = number
        this.#kept = { key, value, askedAt }
      }
      return value
    } finally {
      this.#isAsking = false
    }
  }

  /** Has the next caller read the value. */
  forget(): void {
    this.#kept = null
    this.#settled = this.#begun
  }
}
