import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { hexToBytes } from '@noble/hashes/utils'
import { sha256Hex } from '../core/sha256.ts'
import { utf8 } from '../core/utf8.ts'

/** Returns the commitment to a seed or pepper: the sha256 of its 32 bytes, in hex. */
export function commitmentOf(secretHex: string): string {
  return sha256Hex(hexToBytes(secretHex))
}

const SECRET = /^[0-9a-f]{64}$/

/** Returns whether a text has the form of a secret: 32 bytes in lower-case hex. */
export function isSecret(text: string): boolean {
  return SECRET.test(text)
}

/** Returns whether a commitment matches a secret; false for malformed input. */
export function commits(commitment: string, secretHex: string): boolean {
  return isSecret(secretHex) && commitmentOf(secretHex) === commitment
}

/** Returns the HMAC-SHA256 of a UTF-8 message, keyed with the seed's 32 bytes. */
export function hmacOf(seedHex: string, message: string): Uint8Array {
  return hmac(sha256, hexToBytes(seedHex), utf8(message))
}

/** Computes the HMAC-SHA256 of a UTF-8 message with a fixed seed. */
export type Mac = (message: string) => Uint8Array

/**
 * Returns a function that computes {@link hmacOf} with one seed. It hashes the seed only for the first message, which
 * halves the work for short ones. @throws when called, if the seed is not hex
 */
export function macOf(seedHex: string): Mac {
  let keyed: ReturnType<typeof hmac.create> | null = null
  return (message) => {
    keyed ??= hmac.create(sha256, hexToBytes(seedHex))
    return keyed.clone().update(utf8(message)).digest()
  }
}

/** The number of values of {@link first52Bits}. */
export const TWO_POW_52 = 2n ** 52n

/** Returns the first 52 bits of a digest, as an integer in [0, 2^52). */
export function first52Bits(digest: Uint8Array): bigint {
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0) >> 12n
}
