/** Encodes bytes as standard base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Decodes standard base64 with padding. Returns null for any other text, also for a second form of the same bytes. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : null
  } catch {
    return null
  }
}

/** Decodes base64url without padding (RFC 4648, section 5). Returns null for any other text. */
export function fromBase64Url(text: string): Uint8Array | null {
  if (/[^\w-]/.test(text)) return null
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
