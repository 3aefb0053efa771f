import { createHash } from 'node:crypto'
import type { Random } from './random.ts'

/** How many batches of boxes there are at most. */
export const MAX_BATCHES = 3

/** The peppers of the batches, and which of them the service is configured with. */
export class Peppers {
  /** Those that the chain does not have yet, in hex without 0x. No answer and no line of the log may contain one. */
  readonly secret: Set<string>
  /** Whether each batch is configured with the pepper of another one, and whether that has ever been so. */
  arePermuted = false
  werePermuted = false
  readonly #all: readonly string[]

  constructor(random: Random) {
    const source = random.between('peppers', 0, 2 ** 31)
    this.#all = Array.from({ length: MAX_BATCHES }, (_, batch) =>
      createHash('sha256').update(`pepper ${source} ${batch}`).digest('hex'),
    )
    this.secret = new Set(this.#all)
  }

  /** Returns the pepper of a batch, in hex without 0x. The first batch has number 1. */
  of(batch: number): string {
    const pepper = this.#all[batch - 1]
    if (pepper === undefined) throw new Error(`there is no batch ${batch}`)
    return pepper
  }

  /** Gives each batch the pepper of the next one, or its own again. */
  configure(arePermuted: boolean): void {
    this.arePermuted = arePermuted
    this.werePermuted ||= arePermuted
  }

  /** Returns the variable with the peppers. */
  get variable(): string {
    const shift = this.arePermuted ? 1 : 0
    const entries = this.#all.map((_, index) => [
      index + 1,
      this.#all[(index + shift) % MAX_BATCHES],
    ])
    return JSON.stringify(Object.fromEntries(entries))
  }

  /** Returns whether a text contains a pepper that is still secret. */
  leaksIn(text: string): boolean {
    return [...this.secret].some((pepper) => text.includes(pepper))
  }
}
