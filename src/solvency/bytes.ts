import { invariant } from '../core/invariant.ts'

/** Packs an amount in smallest units as 16 bytes, the highest first. @throws InvariantError if it doesn't fit */
export function packAmount(amountWei: bigint): Uint8Array {
  invariant(amountWei >= 0n && amountWei < 2n ** 128n, 'an amount of the tree is below 2^128')
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, amountWei >> 64n)
  view.setBigUint64(8, amountWei & 0xffff_ffff_ffff_ffffn)
  return bytes
}

/** Reads an amount that {@link packAmount} has packed. */
export function amountAt(bytes: Uint8Array, at: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 16)
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8)
}

/** Packs a whole number as 8 bytes, the highest first. */
export function packNumber(number: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number))
  return bytes
}

/** Reads a number that {@link packNumber} has packed. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0))
}

/** Compares bytes of equal length in their order as numbers. */
export function compareBytes(some: Uint8Array, others: Uint8Array): number {
  for (let at = 0; at < some.length; at++) {
    const difference = (some[at] ?? 0) - (others[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
