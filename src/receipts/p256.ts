import { createCurve } from '@noble/curves/_shortw_utils'
import { Field } from '@noble/curves/abstract/modular'
import { sha256 } from '@noble/hashes/sha2'

const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn

/**
 * The curve P-256 (SEC 2, section 2.4.2). `@noble/curves/nist` has it too, but always with P-384 and P-521, and so with
 * a SHA-512 that every visitor of the page would load.
 */
export const p256 = createCurve(
  {
    a: P - 3n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    Fp: Field(P),
    n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    Gx: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    Gy: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    h: 1n,
    lowS: false,
  },
  sha256,
)
