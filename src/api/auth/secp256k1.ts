import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex } from '@noble/hashes/utils'
// libsecp256k1 from tiny-secp256k1: three times as fast as JavaScript at recovery, the main cost of a
// wallet's first request of the day. The package's own loader needs a file system.
import module from '../../../node_modules/tiny-secp256k1/lib/secp256k1.wasm'

interface Secp256k1 {
  memory: WebAssembly.Memory
  HASH_INPUT: WebAssembly.Global
  SIGNATURE_INPUT: WebAssembly.Global
  PUBLIC_KEY_INPUT: WebAssembly.Global
  initializeContext(): void
  /** Writes the public key and returns 1, or returns 0 if the signature has none. */
  recover(publicKeyLength: number, recoveryId: number): number
}

const UNCOMPRESSED_KEY_BYTES = 65
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let secp256k1: Secp256k1 | null = null

function load(): Secp256k1 {
  const instance = new WebAssembly.Instance(module, {
    './rand.js': { generateInt32: () => crypto.getRandomValues(new Int32Array(1))[0] },
    './validate_error.js': {
      throwError: (code: number) => {
        throw new Error(`secp256k1 error ${code}`)
      },
    },
  })
  const loaded = instance.exports as unknown as Secp256k1
  loaded.initializeContext()
  return loaded
}

/**
 * Recovers the signer's address from a signature.
 * @param hash the 32 signed bytes
 * @param signature r, s and v (27 or 28, or 0 or 1): 65 bytes
 * @returns the address in lower-case hex with 0x, or null for an invalid signature
 */
export function recoverAddress(hash: Uint8Array, signature: Uint8Array): string | null {
  const v = signature[64]
  if (signature.length !== 65 || v === undefined) return null
  const recoveryId = v >= 27 ? v - 27 : v
  const isInRange = [signature.subarray(0, 32), signature.subarray(32, 64)].every((part) => {
    const scalar = BigInt(`0x${bytesToHex(part)}`)
    return scalar > 0n && scalar < CURVE_ORDER
  })
  if (recoveryId > 1 || !isInRange) return null
  secp256k1 ??= load()
  const { memory, HASH_INPUT, SIGNATURE_INPUT, PUBLIC_KEY_INPUT } = secp256k1
  const bytes = new Uint8Array(memory.buffer)
  bytes.set(hash, HASH_INPUT.value)
  bytes.set(signature.subarray(0, 64), SIGNATURE_INPUT.value)
  if (secp256k1.recover(UNCOMPRESSED_KEY_BYTES, recoveryId) !== 1) return null
  const keyAt = PUBLIC_KEY_INPUT.value
  const publicKey = bytes.slice(keyAt + 1, keyAt + UNCOMPRESSED_KEY_BYTES)
  return `0x${bytesToHex(keccak_256(publicKey).subarray(12))}`
}
