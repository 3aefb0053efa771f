/**
 * Writes a value as canonical JSON: no white space, and the members of each object sorted by the UTF-16 code
 * units of their names. Source: RFC 8785.
 * @param value of null, booleans, finite numbers, text without lone surrogates, arrays and plain objects
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
