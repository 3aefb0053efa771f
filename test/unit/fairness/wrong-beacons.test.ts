import { bls12_381 } from '@noble/curves/bls12-381'
import { describe, expect, it } from 'vitest'
import { wrongBeacons } from '../../../src/fairness/drand.ts'
import { signBeacon, TEST_KEY } from '../../audit/export.ts'
import { BEACON_1000 } from '../support/vectors.ts'

const { ProjectivePoint } = bls12_381.G1
const SIGNED = Array.from({ length: 9 }, (_, index) => ({
  round: index + 1,
  signature: signBeacon(index + 1),
}))

/** Returns a signature moved by a point. */
function moved(signature: string, by: bigint): string {
  return ProjectivePoint.fromHex(signature).add(ProjectivePoint.BASE.multiplyUnsafe(by)).toHex()
}

describe('signatures that are verified together', () => {
  it('pass if all are right', () => {
    expect(wrongBeacons(SIGNED, TEST_KEY)).toEqual([])
    expect(wrongBeacons([], TEST_KEY)).toEqual([])
  })

  it("pass if they are drand quicknet's, and only for their rounds", () => {
    const { round, signature } = BEACON_1000
    expect(wrongBeacons([{ round, signature }])).toEqual([])
    const other = { round: round + 1, signature }
    expect(wrongBeacons([{ round, signature }, other])).toEqual([other])
  })

  it('are named if they are wrong, wherever they stand', () => {
    for (const wrong of [0, 4, 8]) {
      const beacons = SIGNED.map((beacon, index) =>
        index === wrong ? { ...beacon, signature: moved(beacon.signature, 1n) } : beacon,
      )
      expect(wrongBeacons(beacons, TEST_KEY)).toEqual([beacons[wrong]])
    }
  })

  it('are named if they are wrong by the same amount in opposite directions', () => {
    const order = bls12_381.fields.Fr.ORDER
    const beacons = SIGNED.map(({ round, signature }, index) => ({
      round,
      signature: moved(signature, [77n, order - 77n][index] ?? 0n),
    }))
    expect(wrongBeacons(beacons, TEST_KEY).map(({ round }) => round)).toEqual([1, 2])
  })

  it('are named if they are no points of the curve', () => {
    const texts = ['', 'zz', 'ab'.repeat(48), SIGNED[0]!.signature.toUpperCase()]
    const beacons = texts.map((signature) => ({ round: 1, signature }))
    expect(wrongBeacons(beacons, TEST_KEY)).toEqual(beacons)
  })
})
