import { bls12_381 } from '@noble/curves/bls12-381'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils'
import { sha256Hex } from '../core/sha256.ts'
import { utf8 } from '../core/utf8.ts'

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

/** The time to fetch and verify a beacon after its publication, in milliseconds. */
export const BEACON_ALLOWANCE_MS = 1_000

const SIGNATURE_HEX = /^[0-9a-f]{96}$/

/** Domain of the hash to the curve, as drand's scheme has it. */
const SIGNATURE_DOMAIN = { DST: 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_' }

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
  return sha256Hex(hexToBytes(signatureHex))
}

/**
 * Returns whether a signature is the quicknet chain's for a round: BLS12-381 with signatures in G1
 * over sha256(round as 8 bytes, big-endian), hashed to the curve by RFC 9380 (drand's scheme
 * "bls-unchained-g1-rfc9380"). Returns false for malformed input.
 */
export function isBeaconSignature(round: number, signatureHex: string): boolean {
  if (!isSignatureForm(signatureHex)) return false
  const message = messageOf(round)
  try {
    return bls12_381.verifyShortSignature(
      signatureHex,
      message,
      QUICKNET.publicKey,
      SIGNATURE_DOMAIN,
    )
  } catch {
    return false
  }
}

/** A beacon's round and its signature in hex. */
export interface SignedBeacon {
  round: number
  signature: string
}

const WEIGHT_BYTES = 16

/**
 * Returns the beacons whose signatures are wrong. Verifies all signatures by one product of two pairings: their
 * weighted sum must be the signature of the messages' weighted sum. Without weights, wrong signatures could make
 * up for each other. The weights follow from all signatures by a hash, so none can be made to fit them; wrong
 * signatures pass with a probability of 2^-128 (Bellare, Garay, Rabin 1998, small exponents test). If the sum is
 * wrong, both halves are verified.
 * @param publicKey another chain's key, for tests
 */
export function wrongBeacons(
  beacons: readonly SignedBeacon[],
  publicKey: string = QUICKNET.publicKey,
): SignedBeacon[] {
  const points: BeaconPoints[] = []
  const wrong: SignedBeacon[] = []
  for (const beacon of beacons) {
    const signed = signaturePoint(beacon.signature)
    if (!signed) wrong.push(beacon)
    else points.push({ beacon, signed, hashed: hashToCurve(messageOf(beacon.round)) })
  }
  return [...wrong, ...wrongAmong(points, PublicKey.fromHex(publicKey))]
}

const { ProjectivePoint: Signature } = bls12_381.G1
const { ProjectivePoint: PublicKey } = bls12_381.G2
type G1Point = InstanceType<typeof Signature>
type G2Point = InstanceType<typeof PublicKey>

interface BeaconPoints {
  beacon: SignedBeacon
  signed: G1Point
  hashed: G1Point
}

function wrongAmong(points: readonly BeaconPoints[], key: G2Point): SignedBeacon[] {
  if (points.length === 0 || isSumSigned(points, key)) return []
  if (points.length === 1) return points.map(({ beacon }) => beacon)
  const half = Math.ceil(points.length / 2)
  return [...wrongAmong(points.slice(0, half), key), ...wrongAmong(points.slice(half), key)]
}

function isSumSigned(points: readonly BeaconPoints[], key: G2Point): boolean {
  const weights = weightsOf(points.map(({ beacon }) => beacon))
  const sumOf = (part: 'signed' | 'hashed') =>
    Signature.msm(
      points.map((point) => point[part]),
      weights,
    )
  const product = bls12_381.pairingBatch([
    { g1: sumOf('signed'), g2: PublicKey.BASE },
    { g1: sumOf('hashed').negate(), g2: key },
  ])
  const { Fp12 } = bls12_381.fields
  return Fp12.eql(product, Fp12.ONE)
}

/** Returns a weight from 1 to 2^128 for each beacon. All follow from all beacons. */
function weightsOf(beacons: readonly SignedBeacon[]): bigint[] {
  const all = sha256(utf8(JSON.stringify(beacons.map((each) => [each.round, each.signature]))))
  return beacons.map((_, index) => {
    const digest = sha256(concatBytes(all, uint64(index)))
    return BigInt(`0x${bytesToHex(digest.subarray(0, WEIGHT_BYTES))}`) + 1n
  })
}

/** Returns a signature's point; null if the text isn't the only encoding of a point of the right order. */
function signaturePoint(signatureHex: string): G1Point | null {
  if (!isSignatureForm(signatureHex)) return null
  try {
    const point = Signature.fromHex(signatureHex)
    point.assertValidity()
    return point
  } catch {
    return null
  }
}

function hashToCurve(message: Uint8Array): G1Point {
  return Signature.fromAffine(bls12_381.G1.hashToCurve(message, SIGNATURE_DOMAIN).toAffine())
}

/** Returns the message that is signed for a round: the sha256 of its number as 8 bytes, big-endian. */
function messageOf(round: number): Uint8Array {
  return sha256(uint64(round))
}

function uint64(number: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number))
  return bytes
}

function isSignatureForm(signatureHex: string): boolean {
  return SIGNATURE_HEX.test(signatureHex) && isReduced(signatureHex)
}

/**
 * Returns whether the x coordinate is below the field's prime. The library reduces x modulo the
 * prime, so without this check many signatures would have a second valid encoding, and with it a
 * second randomness to choose from.
 */
function isReduced(signatureHex: string): boolean {
  return BigInt.asUintN(X_BITS, BigInt(`0x${signatureHex}`)) < bls12_381.fields.Fp.ORDER
}
