import { sha256 } from '@noble/hashes/sha2'
import { concatBytes } from '@noble/hashes/utils'
import { fromBase64Url, toBase64Url } from '../core/base64.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { utf8 } from '../core/utf8.ts'
import type { PublishedKey } from './key.ts'
import { p256 } from './p256.ts'

/** A compact JWS (RFC 7515), taken apart and not verified yet. */
export interface Jws {
  /** Parsed JSON, like the payload. */
  header: unknown
  payload: unknown
  /** The signed bytes: the encoded header and payload, joined by a dot. */
  signed: Uint8Array
  signature: Uint8Array
}

/** Takes a compact JWS apart. Returns null if the text isn't one. */
export function parseJws(text: string): Jws | null {
  const parts = text.split('.')
  const [header, payload, signature] = parts.map(fromBase64Url)
  if (parts.length !== 3 || !header || !payload || !signature) return null
  const signed = utf8(text.slice(0, text.lastIndexOf('.')))
  try {
    return { header: jsonOf(header), payload: jsonOf(payload), signed, signature }
  } catch {
    return null
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes))
}

type PublicKey = Pick<PublishedKey, 'x' | 'y'>

/** Returns whether a key has signed a JWS with ES256 (RFC 7518, section 3.4). */
export function isSignedWith({ signed, signature }: Jws, { x, y }: PublicKey): boolean {
  const [xBytes, yBytes] = [fromBase64Url(x), fromBase64Url(y)]
  if (!xBytes || !yBytes) return false
  try {
    const point = concatBytes(Uint8Array.of(UNCOMPRESSED), xBytes, yBytes)
    return p256.verify(signature, sha256(signed), point, { format: 'compact', lowS: false })
  } catch {
    // A signature of another length, or a point that is not on the curve.
    return false
  }
}

const UNCOMPRESSED = 0x04

/** Returns a key's thumbprint (RFC 7638), the `kid` in its signatures. */
export function thumbprintOf({ x, y }: PublicKey): string {
  return toBase64Url(sha256(utf8(canonicalJson({ kty: 'EC', crv: 'P-256', x, y }))))
}
