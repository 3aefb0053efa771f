/** A number as written in the JSON text, untouched by floating point. */
export class JsonNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/**
 * Parses JSON text, with its numbers as {@link JsonNumber}.
 * @returns undefined for invalid JSON, duplicate keys or text with lone surrogates
 */
export function parseJson(text: string): unknown {
  // UTF-8 has no lone surrogates, so only an escape makes one.
  const hasEscapes = text.includes(String.raw`\u`)
  try {
    const value: unknown = JSON.parse(text)
    // Text as JavaScript writes it has no duplicate keys, and a number's text follows from its value.
    if (!hasEscapes && JSON.stringify(value) === text) return withNumbers(value)
    return parseSource(text, hasEscapes)
  } catch {
    return undefined
  }
}

/** Replaces the numbers in a JSON value whose text JavaScript has written. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (typeof value !== 'object' || value === null) return value
  const members = value as Record<string, unknown>
  for (const key of Object.keys(members)) members[key] = withNumbers(members[key])
  return members
}

/** Parses valid JSON text of any form. @throws SyntaxError for a lone surrogate */
function parseSource(text: string, hasEscapes: boolean): unknown {
  // The text itself is a member of an object that the parser makes.
  let members = -1
  // With https://github.com/tc39/proposal-json-parse-with-source, which TypeScript's types lack.
  function revive(this: unknown, key: string, value: unknown, context?: { source: string }) {
    if (!Array.isArray(this)) members++
    if (hasEscapes && (isBroken(key) || isBroken(value))) throw new SyntaxError('a lone surrogate')
    return typeof value === 'number' && context ? new JsonNumber(context.source) : value
  }
  const value: unknown = JSON.parse(text, revive)
  // Of members with the same key only the last is left.
  return members === countColons(text) ? value : undefined
}

/** Returns whether a value of {@link parseJson} is an object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !(value instanceof JsonNumber)
}

/** Returns whether a value is text that UTF-8 can't encode: storage would return another text than was hashed. */
function isBroken(value: unknown): boolean {
  return typeof value === 'string' && /\p{Cs}/u.test(value)
}

/** Returns the number of members that are written in a valid JSON text. */
function countColons(text: string): number {
  let colons = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '"') isInString = !isInString
    else if (character === '\\') index++
    else if (character === ':' && !isInString) colons++
  }
  return colons
}

/**
 * Writes a value as JSON text, its {@link JsonNumber}s as they were written.
 * @throws RangeError for a value nested thousands deep
 */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member instanceof JsonNumber ? rawJson(member.source) : member,
  )
}

/**
 * Merges the JSON texts of objects that share no key into the text of one object, without parsing them.
 * @param objects texts as `JSON.stringify` writes them
 */
export function mergeJson(...objects: string[]): string {
  return objects.reduce((merged, object) => {
    if (merged === '{}') return object
    return object === '{}' ? merged : `${merged.slice(0, -1)},${object.slice(1)}`
  }, '{}')
}

/** Uses the same proposal. */
function rawJson(source: string): unknown {
  return (JSON as unknown as { rawJSON(source: string): unknown }).rawJSON(source)
}
