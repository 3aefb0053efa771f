import { invariant } from '../core/invariant.ts'

const MORE = 0x80

/** Appends a number from zero up as LEB128: seven bits a byte, the lowest first. */
export function pushNumber(bytes: number[], number: bigint): void {
  let rest = number
  // Four bytes at a time: an operation on a bigint takes as long as ten on numbers.
  for (; rest >= 0x1000_0000n; rest >>= 28n) {
    const low = Number(rest & 0xfff_ffffn)
    for (let shift = 0; shift < 28; shift += 7) bytes.push(((low >> shift) & 0x7f) | MORE)
  }
  let last = Number(rest)
  for (; last >= MORE; last >>= 7) bytes.push((last & 0x7f) | MORE)
  bytes.push(last)
}

/** Appends a number of either sign: 0, −1, 1, −2, … become 0, 1, 2, 3, … */
export function pushSigned(bytes: number[], number: bigint): void {
  pushNumber(bytes, number < 0n ? -2n * number - 1n : 2n * number)
}

/** Appends bytes after their number. */
export function pushBytes(bytes: number[], added: Iterable<number>): void {
  const list = [...added]
  pushNumber(bytes, BigInt(list.length))
  bytes.push(...list)
}

/** Reads packed bytes in order. Throws an InvariantError if they end too early. */
export class PackedReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  byte(): number {
    const byte = this.#bytes[this.#at++]
    invariant(byte !== undefined, 'packed bytes are complete')
    return byte
  }

  /** Reverses {@link pushNumber}. */
  number(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  /** Reverses {@link pushSigned}. */
  signed(): bigint {
    const number = this.number()
    return number & 1n ? -(number >> 1n) - 1n : number >> 1n
  }

  /** Returns the next bytes. */
  bytes(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    invariant(bytes.length === length, 'packed bytes are complete')
    this.#at += length
    return bytes
  }
}
