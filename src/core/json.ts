/** A number as it stood in the JSON text: floating point has not touched it. */
export class JsonNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** Parses JSON text with its numbers as {@link JsonNumber}; undefined for anything but sound JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text, keepNumberSource)
    return hasDuplicateKeys(text) ? undefined : value
  } catch {
    return undefined
  }
}

/** https://github.com/tc39/proposal-json-parse-with-source, not in TypeScript's types yet. */
function keepNumberSource(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' && context ? new JsonNumber(context.source) : value
}

const STRINGS_AND_STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}:]/g

/** Whether any object of a JSON text, known to be sound, names a key twice. */
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
 * Writes a value as JSON text, its {@link JsonNumber}s as they stood.
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

/** Of the same proposal. */
function rawJson(source: string): unknown {
  return (JSON as unknown as { rawJSON(source: string): unknown }).rawJSON(source)
}
