/** A node that did not answer is next asked for the logs of a quarter of the blocks. */
const SMALLER = 4
const LARGER = 2

/**
 * How many blocks' logs the watch asks for at once: fewer after a node was too slow to answer, which many tiny deposits
 * can cause. In memory only: after a restart it is CHAIN_LOG_RANGE.
 */
export class LogRange {
  #blocks = Infinity

  /** Returns the number of blocks, at most the configured one. */
  atMost(configured: number): number {
    return Math.min(this.#blocks, configured)
  }

  /** @param asked the blocks that the node was asked for in vain */
  shrink(asked: number): void {
    this.#blocks = Math.max(1, Math.floor(asked / SMALLER))
  }

  grow(): void {
    this.#blocks *= LARGER
  }
}
