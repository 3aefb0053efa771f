import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { utf8 } from './utf8.ts'

/** Returns the sha256 of some bytes, or of a text in UTF-8, in hex. */
export function sha256Hex(data: Uint8Array | string): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8(data) : data))
}
