import { bls12_381 } from '@noble/curves/bls12-381'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import { beaconPublishedAt, QUICKNET } from '../../src/fairness/drand.ts'
import type { Edit } from '../simulation/world/bundle.ts'

const SECRET = '5b'.repeat(32)
export const PUBLIC_KEY = bytesToHex(bls12_381.getPublicKeyForShortSignatures(SECRET))
const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const REAL_KEY = QUICKNET.publicKey

/** Stories happen in the future, where the real chain has no signatures yet. This makes the service trust our own. */
export const OWN_BEACON: Edit = ['src/fairness/drand.ts', REAL_KEY, PUBLIC_KEY]

/** Makes the tools trust our own beacon, too, until the returned function is called. */
export function trustOwnBeacon(): () => void {
  Object.assign(QUICKNET, { publicKey: PUBLIC_KEY })
  return () => void Object.assign(QUICKNET, { publicKey: REAL_KEY })
}

const signatures = new Map<number, string>()

/** Answers as a relay does: with the signature of a round once it is published. @param now in unix milliseconds */
export function askRelay(url: URL, now: number): Response {
  const round = Number(url.pathname.split('/').at(-1))
  if (now < beaconPublishedAt(round)) return new Response('', { status: 404 })
  const signature = signatures.get(round) ?? signed(round)
  signatures.set(round, signature)
  return Response.json({ round, signature })
}

function signed(round: number): string {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(round))
  return bytesToHex(bls12_381.signShortSignature(sha256(bytes), SECRET, { DST }))
}
