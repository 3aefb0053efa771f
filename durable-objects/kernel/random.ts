import { bytesToHex } from '@noble/hashes/utils'

/** 32 random bytes in hex, from the platform's cryptographic source: a seed or a pepper. */
export function randomSecret(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
}
