import { bls12_381 } from '@noble/curves/bls12-381'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beaconPublishedAt,
  beaconRandomness,
  firstBeaconAfter,
  isBeaconSignature,
  QUICKNET,
} from '../../../src/fairness/drand.ts'
import { forAll } from '../support/for-all.ts'
import { BEACON_1000, DRAND_QUICKNET } from '../support/vectors.ts'

const GENESIS_MS = QUICKNET.genesisSeconds * 1_000

/** A signature whose x coordinate plus the field's prime still fits its 381 bits. */
function twiceEncoded() {
  const secret = '5b'.repeat(32)
  const DST = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
  const prime = bls12_381.fields.Fp.ORDER
  for (let round = 1; ; round++) {
    const message = new Uint8Array(8)
    new DataView(message.buffer).setBigUint64(0, BigInt(round))
    const signature = bytesToHex(bls12_381.signShortSignature(sha256(message), secret, { DST }))
    const encoded = BigInt(`0x${signature}`)
    if (BigInt.asUintN(381, encoded) + prime >= 2n ** 381n) continue
    const publicKey = bytesToHex(bls12_381.getPublicKeyForShortSignatures(secret))
    return { round, signature, second: (encoded + prime).toString(16), publicKey }
  }
}

describe('a beacon’s signature', () => {
  it.each(DRAND_QUICKNET.beacons)('of round $round, as published, is valid', (beacon) => {
    expect(isBeaconSignature(beacon.round, beacon.signature)).toBe(true)
  })

  it('that was tampered with is refused', () => {
    const { round, signature } = DRAND_QUICKNET.tampered
    expect(isBeaconSignature(round, signature)).toBe(false)
  })

  it('with any one digit changed is refused', () => {
    const { round, signature } = BEACON_1000
    const digits = Array.from(signature, (digit) => Number.parseInt(digit, 16))
    const accepted = digits.flatMap((digit, index) => {
      const changed = digits.with(index, digit ^ 1).map((each) => each.toString(16))
      return isBeaconSignature(round, changed.join('')) ? [index] : []
    })
    expect(accepted).toEqual([])
  })

  it('in a second encoding, with its own randomness, is refused', () => {
    const { round, signature, second, publicKey } = twiceEncoded()
    const real = QUICKNET.publicKey
    try {
      Object.assign(QUICKNET, { publicKey })
      expect(isBeaconSignature(round, signature)).toBe(true)
      expect(isBeaconSignature(round, second)).toBe(false)
    } finally {
      Object.assign(QUICKNET, { publicKey: real })
    }
  })

  it('of another round is refused', () => {
    const [first, second] = DRAND_QUICKNET.beacons
    expect(isBeaconSignature(second.round, first.signature)).toBe(false)
    expect(isBeaconSignature(first.round + 1, first.signature)).toBe(false)
  })

  it.each([
    ['nothing', ''],
    ['upper-case hex', BEACON_1000.signature.toUpperCase()],
    ['a prefix', `0x${BEACON_1000.signature}`],
    ['a digit too few', BEACON_1000.signature.slice(1)],
    ['a digit too many', `${BEACON_1000.signature}0`],
    ['a line break after it', `${BEACON_1000.signature}\n`],
    ['not hex', 'z'.repeat(96)],
    ['all zeros', '0'.repeat(96)],
    ['the point at infinity', `c0${'0'.repeat(94)}`],
    ['all ones', 'f'.repeat(96)],
  ])('that is %s is refused without an exception', (_what, signature) => {
    expect(isBeaconSignature(BEACON_1000.round, signature)).toBe(false)
  })
})

describe('a beacon’s randomness', () => {
  it('is sha256 of its signature, as published', () => {
    expect(beaconRandomness(BEACON_1000.signature)).toBe(BEACON_1000.randomness)
  })
})

describe('the first beacon after bets close', () => {
  it('is counted from the chain’s genesis, when round 1 was published', () => {
    expect(beaconPublishedAt(1)).toBe(GENESIS_MS)
    expect(beaconPublishedAt(1_000)).toBe(GENESIS_MS + 2_997_000)
  })

  it.each([
    ['in the very millisecond of a publication', 0, 2],
    ['a millisecond later', 1, 2],
    ['a millisecond before the next', 2_999, 2],
    ['with the next', 3_000, 3],
  ])('for bets that close %s is a later one', (_when, afterGenesis, round) => {
    expect(firstBeaconAfter(GENESIS_MS + afterGenesis)).toBe(round)
  })

  it('follows the published formula: strictly after bets close and at most 3 s later', () => {
    forAll(fc.integer({ min: GENESIS_MS, max: GENESIS_MS + 10 ** 12 }), (betsCloseAt) => {
      const round = firstBeaconAfter(betsCloseAt)
      const seconds = BigInt(Math.floor(betsCloseAt / 1_000))
      expect(BigInt(round)).toBe((seconds - 1_692_803_367n) / 3n + 2n)
      expect(beaconPublishedAt(round)).toBeGreaterThan(betsCloseAt)
      expect(beaconPublishedAt(round) - betsCloseAt).toBeLessThanOrEqual(3_000)
    })
  })
})
