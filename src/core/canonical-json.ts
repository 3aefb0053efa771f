/**
 * Writes a value as canonical JSON: no white space, and the members of each object sorted by the UTF-16 code
 * units of their names. Source: RFC 8785.
 * @param value of null, booleans, finite numbers, text without lone surrogates, arrays and plain objects
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    const members = Object.entries(member)
    // No member is an array index, which JavaScript would put first whatever the order here.
    return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
