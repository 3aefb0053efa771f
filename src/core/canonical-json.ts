/** A JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

/**
 * Writes a value as canonical JSON (RFC 8785): no white space, members sorted by UTF-16 code units, numbers and
 * strings as ECMAScript writes them. Equal values have equal texts, so the text can be hashed and signed.
 * @throws TypeError for a number that is not finite, text with a lone surrogate, or anything else that is not JSON
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${scalar(key)}:${canonicalJson(member)}`)
    return `{${members.join(',')}}`
  }
  return scalar(value)
}

function scalar(value: unknown): string {
  const isText = typeof value === 'string' && !/\p{Cs}/u.test(value)
  const isPlain = value === null || typeof value === 'boolean' || Number.isFinite(value)
  if (!isText && !isPlain) throw new TypeError('the value has no canonical JSON')
  return JSON.stringify(value)
}
