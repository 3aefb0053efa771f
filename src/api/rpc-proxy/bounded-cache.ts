/** A cache of texts, limited in entries and in characters (including keys). Evicts the oldest first. */
export class BoundedCache {
  readonly #texts = new Map<string, string>()
  readonly #maxEntries: number
  readonly #maxChars: number
  #chars = 0

  constructor(maxEntries: number, maxChars: number) {
    this.#maxEntries = maxEntries
    this.#maxChars = maxChars
  }

  get(key: string): string | undefined {
    return this.#texts.get(key)
  }

  set(key: string, text: string): void {
    if (key.length + text.length > this.#maxChars) return
    this.#delete(key)
    this.#texts.set(key, text)
    this.#chars += key.length + text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= this.#maxEntries && this.#chars <= this.#maxChars) return
      this.#delete(oldest)
    }
  }

  #delete(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#texts.delete(key)
    this.#chars -= key.length + text.length
  }
}
