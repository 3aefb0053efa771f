/**
 * Seeded randomness without a sequence: a decision depends only on the seed and the decision's name. So
 * leaving out one operation or fault, as shrinking does, leaves all other decisions as they were.
 */
export class Random {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  draw(name: string): number {
    // FNV-1a over the name, then MurmurHash3's final mix.
    let hash = Math.imul(this.#seed ^ 0x9e3779b9, 0x85ebca6b) ^ 0x811c9dc5
    for (let at = 0; at < name.length; at++) {
      hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
  }

  chance(name: string, probability: number): boolean {
    return probability > 0 && this.draw(name) < probability
  }

  /** Returns a whole number from `low` to `high`, both inclusive. */
  between(name: string, low: number, high: number): number {
    return low + Math.floor(this.draw(name) * (high - low + 1))
  }

  pick<T>(name: string, list: readonly T[]): T {
    const picked = list[Math.floor(this.draw(name) * list.length)]
    if (picked === undefined) throw new Error(`nothing to pick from for ${name}`)
    return picked
  }
}
