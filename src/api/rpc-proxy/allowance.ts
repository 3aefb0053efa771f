/** The limit on all upstream answers to one HTTP call, and on all its own answers. */
export const MAX_TOTAL_BYTES = 10 * 1_048_576

/**
 * The limit on the answers to all HTTP calls in progress. An isolate has 128 MiB, and an answer is held several times.
 */
const MAX_HELD_BYTES = 24 * 1_048_576

/** The bytes that a call may hold whatever others do, so that a few large calls don't block all others. */
export const FLOOR_BYTES = 256 * 1_024

/**
 * A call of a client that hangs up may stop anywhere, and then nothing returns its bytes. A batch needs four rounds of
 * six lanes, of five seconds each at most, and one more if an upstream doesn't answer. The rest is for sending the
 * answer.
 */
const LONGEST_CALL_MS = 40_000

/** The allowances of this isolate's HTTP calls. */
const held = new Set<Allowance>()

/** One HTTP call's share of the bytes that the isolate can hold at once: read from upstreams, and answered. */
export class Allowance {
  readonly #startedAt = Date.now()
  #bytes = 0

  constructor() {
    held.add(this)
  }

  /** Counts bytes that are read. Returns false beyond the limit of the call. */
  spend(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= MAX_TOTAL_BYTES
  }

  /** Returns whether the call must stop because the isolate holds as much as it can. */
  isExhausted(): boolean {
    if (this.#bytes <= FLOOR_BYTES) return false
    const now = Date.now()
    let bytes = 0
    for (const each of held) {
      if (Math.abs(now - each.#startedAt) < LONGEST_CALL_MS) bytes += each.#bytes
      else held.delete(each)
    }
    return bytes > MAX_HELD_BYTES
  }

  /**
   * Counts the bytes of the answers, which may repeat the bytes read. Returns false if the isolate can't hold that
   * many.
   */
  hold(bytes: number): boolean {
    const before = this.#bytes
    this.#bytes = Math.max(before, bytes)
    const isHeld = !this.isExhausted()
    if (!isHeld) this.#bytes = before
    return isHeld
  }

  /** How long the call may go on, in milliseconds. */
  get msLeft(): number {
    return Math.max(0, LONGEST_CALL_MS - Math.abs(Date.now() - this.#startedAt))
  }

  /** Gives back the bytes held, once the answer is sent. */
  release(): void {
    held.delete(this)
  }
}
