/** A number as written in the JSON text, untouched by floating point. */
export class JsonNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/**
 * Parses JSON text, with its numbers as {@link JsonNumber}.
 * @returns undefined for invalid JSON or duplicate keys
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text, keepNumberSource)
    return hasDuplicateKeys(text) ? undefined : value
  } catch {
    return undefined
  }
}

/** Returns whether a value of {@link parseJson} is an object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !(value instanceof JsonNumber)
}

/** Uses https://github.com/tc39/proposal-json-parse-with-source, which TypeScript's types lack. */
function keepNumberSource(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' && context ? new JsonNumber(context.source) : value
}

const STRINGS_AND_STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}:]/g

/** Returns whether any object in a valid JSON text has a duplicate key. */
function hasDuplicateKeys(text: string): boolean {
  const open: Set<unknown>[] = []
  let lastString = ''
  for (const [token] of text.matchAll(STRINGS_AND_STRUCTURE)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (token !== ':') lastString = token
    else {
      const key: unknown = JSON.parse(lastString)
      if (open.at(-1)?.has(key)) return true
      open.at(-1)?.add(key)
    }
  }
  return false
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
