/** A key of receipts in the published set (RFC 7517), with the times in unix seconds between which it signs. */
export interface PublishedKey {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
  alg: 'ES256'
  use: 'sig'
  /** Its thumbprint (RFC 7638). */
  kid: string
  nbf: number
  /** Absent for the key that signs. */
  exp?: number
}

/** A key's signing period, in unix seconds, and its private part, without which it can't sign. */
interface KeyTimes {
  nbf: number
  exp?: number | undefined
  d?: string | undefined
}

/**
 * Returns the key that signs at a time: the first one that may. A new key stands first and is published before its
 * time, so that the readers of its first receipts know it. Returns null if there is no key.
 */
export function signingKey<K extends KeyTimes>(keys: readonly K[], nowS: number): K | null {
  const [newest = null] = keys
  const maySign = ({ d, nbf, exp }: K) =>
    d !== undefined && nbf <= nowS && (exp === undefined || nowS <= exp)
  // A receipt signed too early is better than none.
  return keys.find(maySign) ?? newest
}
