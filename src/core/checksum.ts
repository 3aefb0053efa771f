import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex } from '@noble/hashes/utils'
import { utf8 } from './utf8.ts'

/**
 * Returns whether an address is in one letter case, or in mixed case with its EIP-55 checksum.
 * @param address 0x and 40 hex digits
 */
export function isChecksumRight(address: string): boolean {
  const digits = address.slice(2)
  const lower = digits.toLowerCase()
  if (digits === lower || digits === digits.toUpperCase()) return true
  const hash = bytesToHex(keccak_256(utf8(lower)))
  const cased = Array.from(lower, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  )
  return digits === cased.join('')
}
