import { createPrivateKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import { SUBTLE } from '../simulation/world/subtle.ts'

/** A signing key as far as the service looks at it. */
interface Key {
  key: KeyObject
}

/**
 * The simulation's `crypto.subtle` with ES256 signatures, for receipts. They are random, so no history has them.
 * Like the rest it never leaves the event that asks for it.
 */
export const SIGNING_SUBTLE = {
  ...SUBTLE,
  async importKey(format: 'raw' | 'jwk', secret: Uint8Array | JsonWebKey): Promise<object> {
    if (format === 'raw') return SUBTLE.importKey('raw', secret as Uint8Array)
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const shape = { type: 'private', extractable: false, usages: ['sign'], algorithm }
    const key = createPrivateKey({ key: secret as JsonWebKey, format: 'jwk' })
    return { ...shape, [Symbol.toStringTag]: 'CryptoKey', key }
  },
  async sign(_algorithm: object, { key }: Key, data: Uint8Array): Promise<ArrayBuffer> {
    const signature = sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
    return new Uint8Array(signature).buffer
  },
}
