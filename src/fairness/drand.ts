import { bls12_381 } from '@noble/curves/bls12-381'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'

/**
 * The drand "quicknet" chain. Parameters as published by the League of Entropy at
 * https://docs.drand.love/dev-guide/api-documentation (chain info endpoint).
 */
export const QUICKNET = {
  chainHash: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  publicKey:
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  genesisSeconds: 1692803367,
  periodSeconds: 3,
} as const

const SIGNATURE_HEX = /^[0-9a-f]{96}$/

/** A point's x coordinate is the low 381 bits of its encoding; the top three bits are flags. */
const X_BITS = 381

/** Returns when a beacon round is published, in unix milliseconds. Round 1 is published at genesis. */
export function beaconPublishedAt(round: number): number {
  return (QUICKNET.genesisSeconds + (round - 1) * QUICKNET.periodSeconds) * 1000
}

/** Returns the first beacon round published strictly after a time in unix milliseconds. */
export function firstBeaconAfter(unixMs: number): number {
  const seconds = Math.floor(unixMs / 1000)
  return Math.floor((seconds - QUICKNET.genesisSeconds) / QUICKNET.periodSeconds) + 2
}

/** Returns a beacon's randomness, the sha256 of its signature, in hex. */
export function beaconRandomness(signatureHex: string): string {
  return bytesToHex(sha256(hexToBytes(signatureHex)))
}

/**
 * Returns whether a signature is the quicknet chain's for a round: BLS12-381 with signatures in G1
 * over sha256(round as 8 bytes, big-endian), hashed to the curve by RFC 9380 (drand's scheme
 * "bls-unchained-g1-rfc9380"). Returns false for malformed input.
 */
export function isBeaconSignature(round: number, signatureHex: string): boolean {
  if (!SIGNATURE_HEX.test(signatureHex) || !isReduced(signatureHex)) return false
  const roundBytes = new Uint8Array(8)
  new DataView(roundBytes.buffer).setBigUint64(0, BigInt(round))
  try {
    return bls12_381.verifyShortSignature(signatureHex, sha256(roundBytes), QUICKNET.publicKey, {
      DST: 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_',
    })
  } catch {
    return false
  }
}

/**
 * Returns whether the x coordinate is below the field's prime. The library reduces x modulo the
 * prime, so without this check many signatures would have a second valid encoding, and with it a
 * second randomness to choose from.
 */
function isReduced(signatureHex: string): boolean {
  return BigInt.asUintN(X_BITS, BigInt(`0x${signatureHex}`)) < bls12_381.fields.Fp.ORDER
}
