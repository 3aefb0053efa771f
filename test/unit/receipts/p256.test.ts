import { p256 as published } from '@noble/curves/nist'
import { expect, it } from 'vitest'
import { p256 } from '../../../src/receipts/p256.ts'

it('P-256 has the same parameters as in its library', () => {
  const parameters = ({ CURVE }: typeof p256) => {
    const { a, b, n, Gx, Gy, h, lowS, Fp } = CURVE
    return { a, b, n, Gx, Gy, h, lowS, p: Fp.ORDER }
  }
  expect(parameters(p256)).toEqual(parameters(published))
})
