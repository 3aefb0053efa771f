import { bytesToHex } from '@noble/hashes/utils'

/** 32 random bytes in hex, from the platform's cryptographic source: a seed or a pepper. */
export function randomSecret(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
}

/** A random number from 0 to 1, in 256 steps. */
export function randomShare(): number {
  return (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) / 255
}
