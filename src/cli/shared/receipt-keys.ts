import { generateKeyPairSync } from 'node:crypto'

/** Returns a new secret RECEIPT_KEYS, with one key that signs from now on. */
export function newReceiptKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y, d } = privateKey.export({ format: 'jwk' })
  return JSON.stringify({ keys: [{ kty, crv, x, y, d, nbf: Math.floor(Date.now() / 1_000) }] })
}
