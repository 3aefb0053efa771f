/** An isolate's copy of one value that is the same for every caller, so that callers can't make its source work. */
export class BriefCache<T> {
  readonly #keptMs: number
  #kept: { key: string; value: T; askedAt: number } | null = null

  /** @param keptMs how long a value is used; twice as long while another request reads a newer one */
  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  /** Returns the value under a key, and reads it if the copy is too old. @throws what `read` throws, and keeps nothing then */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const askedAt = Date.now()
    const kept = this.#kept?.key === key ? this.#kept : null
    const ageMs = kept ? askedAt - kept.askedAt : Infinity
    if (kept && ageMs >= 0 && ageMs < this.#keptMs) return kept.value
    // Concurrent requests use the previous value meanwhile. Only the first one asks.
    if (kept) kept.askedAt = askedAt
    try {
      const value = await read()
      this.#kept = { key, value, askedAt }
      return value
    } catch (fault) {
      this.forget()
      throw fault
    }
  }

  /** Has the next caller read the value. */
  forget(): void {
    this.#kept = null
  }
}
