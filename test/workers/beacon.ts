import { bls12_381 } from '@noble/curves/bls12-381'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { beforeEach } from 'vitest'
import { QUICKNET } from '../../src/fairness/drand.ts'

/** The published beacon of https://api.drand.sh, quicknet round 1000. */
export const BEACON_1000 = {
  round: 1000,
  signature:
    'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
}

const SECRET = '5b'.repeat(32)

/** Tests run in the future, where the real chain has no signatures yet, so they sign with their own key. */
export function useOwnBeacon(): void {
  beforeEach(() => {
    const publicKey = bytesToHex(bls12_381.getPublicKeyForShortSignatures(SECRET))
    const real = QUICKNET.publicKey
    Object.assign(QUICKNET, { publicKey })
    return () => void Object.assign(QUICKNET, { publicKey: real })
  })
}

/** The signature of a round, in hex, as published by the chain at its time. */
export function signBeacon(round: number): string {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(round))
  const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
  return bytesToHex(bls12_381.signShortSignature(sha256(bytes), SECRET, { DST }))
}

/** Returns a relay's answer for a round. */
export function publishedBeacon(round: number): Response {
  return Response.json({ round, signature: signBeacon(round) })
}
