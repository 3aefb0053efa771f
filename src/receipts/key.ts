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
