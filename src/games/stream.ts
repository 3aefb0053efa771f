import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { utf8 } from '../core/utf8.ts'
import { first52Bits } from '../fairness/seed.ts'

/** The number of values one float of the convention can take. */
export const FLOAT_STEPS = 2 ** 32
const BLOCK_BYTES = 32
const FLOAT_BYTES = 4

/** The inputs of a play's randomness. */
export interface Draw {
  /** The house's seed, hex. Used as text, as third-party verifiers of the convention do. */
  seed: string
  clientSeed: string
  nonce: number
}

/**
 * A play's random stream, by the field's convention. Block c is HMAC-SHA256(key = the seed's text,
 * message = "clientSeed:nonce:c"); the blocks form one run of bytes. Four bytes make a float
 * b0/256 + b1/256² + b2/256³ + b3/256⁴. A float is below one, so it is represented by the integer
 * float · 2^32, and all later arithmetic is exact.
 */
export class RandomStream {
  readonly #draw: Draw
  readonly #blocks: Uint8Array[] = []
  #position = 0

  constructor(draw: Draw) {
    this.#draw = draw
  }

  /** Returns floor(float · choices) of the next float: an integer in [0, choices). */
  next(choices: number): number {
    let value = 0
    for (let byte = 0; byte < FLOAT_BYTES; byte++) value = value * 256 + this.#nextByte()
    return Math.floor((value * choices) / FLOAT_STEPS)
  }

  /** Returns the first 52 bits of block 0 as an integer. */
  first52Bits(): bigint {
    return first52Bits(this.#block(0))
  }

  #nextByte(): number {
    const block = this.#block(Math.floor(this.#position / BLOCK_BYTES))
    return block[this.#position++ % BLOCK_BYTES] ?? 0
  }

  #block(index: number): Uint8Array {
    const { seed, clientSeed, nonce } = this.#draw
    return (this.#blocks[index] ??= hmac(
      sha256,
      utf8(seed),
      utf8(`${clientSeed}:${nonce}:${index}`),
    ))
  }
}

/** Draws without replacement from 0 … size − 1. Each draw removes one number and keeps the rest in order. */
export function drawDistinct(stream: RandomStream, size: number, count: number): number[] {
  const remaining = Array.from({ length: size }, (_, index) => index)
  return Array.from({ length: count }, () => {
    const [drawn = 0] = remaining.splice(stream.next(remaining.length), 1)
    return drawn
  })
}
