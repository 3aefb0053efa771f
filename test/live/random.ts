/** A seeded sequence of random numbers (mulberry32): the same seed draws the same numbers. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.draw() < probability
  }

  /** Returns a whole number from `low` to `high`, both inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.draw() * (high - low + 1))
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T
  }

  /** Returns another sequence, which this one's later draws don't change. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 32 - 1))
  }
}
