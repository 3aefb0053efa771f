import { calculateJwkThumbprint } from 'jose'
import type { Config } from '../config/config.ts'
import type { PublishedKey } from '../receipts/key.ts'

/** Returns all published keys, the newest first. */
export function publishedKeys({ receiptKeys }: Config): Promise<PublishedKey[]> {
  return Promise.all(
    receiptKeys.map(async ({ kty, crv, x, y, nbf, exp }) => ({
      kty,
      crv,
      x,
      y,
      alg: 'ES256',
      use: 'sig',
      nbf,
      kid: await calculateJwkThumbprint({ kty, crv, x, y }),
      ...(exp !== undefined && { exp }),
    })),
  )
}
